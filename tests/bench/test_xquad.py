"""XQuAD's command on files of its format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from libzim.reader import Archive

from bench import gate_archives, xquad
from bench.asking import Heard, Place, Result
from bench.paragraphs import Parallel, archive, questions

PARAGRAPHS = {
    "en": ("The harbour of Velm was built in 1604 by the merchant Anna Korv.", "Salt is mined in the hills of Odra."),
    "ru": ("Гавань Вельма построила в 1604 году купчиха Анна Корв.", "Соль добывают на холмах Одры."),
}
QUESTIONS = {"en": ("Who built the harbour of Velm?", "Where is salt mined?"),
             "ru": ("Кто построил гавань Вельма?", "Где добывают соль?")}  # fmt: skip
ANSWERS = {"en": ("Anna Korv", "hills of Odra"), "ru": ("Анна Корв", "на холмах Одры")}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "xquad"
    folder.mkdir()
    for language, paragraphs in PARAGRAPHS.items():
        article = {"title": "Velm", "paragraphs": paragraphs}
        asked = [
            {"id": f"q{n}", "question": question, "titles": ["Velm"], "paragraph": n, "answers": [answer]}
            for n, (question, answer) in enumerate(zip(QUESTIONS[language], ANSWERS[language], strict=True))
        ]
        _write(folder / f"articles_{language}.jsonl", [article])
        _write(folder / f"questions_{language}.jsonl", asked)
    return folder


def _write(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def test_each_paragraph_is_an_article_that_its_questions_name_by_path(data: Path, tmp_path: Path) -> None:
    zim = Archive(archive(data, "ru", tmp_path / "zims"))
    assert zim.get_metadata("Language") == b"rus"
    (_, salt) = questions(data, "ru")
    assert PARAGRAPHS["ru"][1] in bytes(zim.get_entry_by_path(salt.path).get_item().content).decode()
    assert salt.answers == ("на холмах Одры",)


def test_other_data_make_another_archive_and_the_same_are_taken_as_they_are(data: Path, tmp_path: Path) -> None:
    first = archive(data, "ru", tmp_path / "zims")
    written = first.stat().st_mtime_ns
    assert archive(data, "ru", tmp_path / "zims") == first
    assert first.stat().st_mtime_ns == written
    _write(data / "articles_ru.jsonl", [{"title": "Velm", "paragraphs": ["Иной текст."]}])
    second = archive(data, "ru", tmp_path / "zims")
    assert second != first
    assert "Иной текст." in bytes(Archive(second).get_entry_by_path("p-0-0").get_item().content).decode()


def test_a_paragraph_or_a_title_is_an_article_of_the_gates_archives(data: Path, tmp_path: Path) -> None:
    paragraphs = gate_archives.pages(data, "en")
    (asked, _) = gate_archives.questions(data, "en")
    for unit, path in ((paragraphs, f"{asked.title}_{asked.paragraph}"), (gate_archives.joined(paragraphs), "0")):
        folder = tmp_path / str(len(unit))
        shards = gate_archives.index_of(unit, "en", folder)
        zim = Archive(folder / "xquad.zim")
        assert (zim.article_count, zim.main_entry.get_item().path) == (len(unit), unit[0].path)
        assert "Anna Korv" in bytes(zim.get_entry_by_path(path).get_item().content).decode()
        assert list(shards.iterdir())


def test_scores_count_ranks_and_answers_in_the_first_five_passages() -> None:
    asked = [Parallel("1", "q", "p-0-0", ("Korv",)), Parallel("2", "q", "p-0-1", ("Odra",))]
    listed = tuple(Result(Place("x", f"p-0-{n}"), "", "body") for n in (2, 0))
    replies = [Heard(listed, ("Anna Korv built it.",), 1.0), Heard(listed, ("",) * 5 + ("Odra",), 1.0)]
    assert xquad.scores("x", asked, replies) == xquad.Scores((0.0, 0.0), (1.0, 0.0), (0.5, 0.0), (1.0, 0.0))


def test_distances_to_english_are_in_points_of_the_mean() -> None:
    right, wrong = (1.0,) * 4, (1.0, 0.0, 1.0, 0.0)
    found = xquad.differences({"ru": xquad.Scores(*[wrong] * 4), "en": xquad.Scores(*[right] * 4)})
    assert found == {"ru": {name: {"points": -50.0, "p": 0.5} for name in xquad.MEASURES}}


def test_the_languages_are_indexed_asked_and_compared(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ["--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache"), "--processes", "1"]
    assert xquad.main(["--data", str(data), "--languages", "en,ru", *places]) == 0
    (written,) = (tmp_path / "out").iterdir()
    result = json.loads(written.read_text(encoding="utf-8"))
    for language in ("en", "ru"):
        assert result["rows"][language]["hit1"] == result["rows"][language]["answer5"] == 1.0
    assert result["to_english"]["ru"]["hit1"] == {"points": 0.0, "p": 1.0}
    assert len(result["questions"]) == 4
    assert "+0.00 (p 1.0000)" in capsys.readouterr().out


def test_an_unknown_language_is_wrong_usage(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        xquad.main(["--data", str(data), "--languages", "en,xx"])
    assert "expected some of en, ru, de, es; found 'en,xx'" in capsys.readouterr().err
