"""Settings: where they come from, which wins, and how a wrong one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from aborist.config import SETTINGS, Setting, Settings, load_settings, open_engine
from aborist.errors import IndexStateError, UsageError
from aborist.query.question import LONGEST

README = Path(__file__).parents[1] / "README.md"
EXAMPLES: dict[str, tuple[str, object]] = {  # as text in the environment, and the value it means
    "shards": ("/srv/shards", Path("/srv/shards")),
    "workers": ("3", 3),
    "memory": ("512M", 512 << 20),
    "k": ("7", 7),
    "link": ("kiwix-content", "kiwix-content"),
    "server": ("http://kiwix:80", "http://kiwix:80"),
    "longest_question": ("99", 99),
}


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working folder; the user's own settings are out of reach."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(home: Path, **environment: str) -> Settings:
    return load_settings({"XDG_CONFIG_HOME": str(home / "config"), **environment})


def test_without_any_file_the_defaults_hold(nowhere: Path) -> None:
    settings = load(nowhere)
    assert settings.shards == Path("shards")
    assert settings.k == 10
    assert settings.workers >= 1
    assert settings.longest_question == LONGEST


def test_there_is_an_example_of_every_setting() -> None:
    assert set(EXAMPLES) == {setting.key for setting in SETTINGS} == set(Settings.__dataclass_fields__)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_can_come_from_the_environment(nowhere: Path, setting: Setting) -> None:
    text, value = EXAMPLES[setting.key]
    assert setting.variable == f"ABORIST_{setting.key.upper()}"
    assert getattr(load(nowhere, **{setting.variable: text}), setting.key) == value


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_can_come_from_the_file(nowhere: Path, setting: Setting) -> None:
    text, value = EXAMPLES[setting.key]
    (nowhere / "aborist.toml").write_text(
        f"{setting.key} = {text if text.isdigit() else repr(text)}\n", encoding="utf-8"
    )
    assert getattr(load(nowhere), setting.key) == value


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_is_documented(setting: Setting) -> None:
    assert setting.help
    text = README.read_text(encoding="utf-8")
    assert setting.variable in text or f"`{setting.key}`" in text


def test_the_environment_wins_over_the_file_and_the_working_folder_over_the_home(nowhere: Path) -> None:
    home = nowhere / "config" / "aborist"
    home.mkdir(parents=True)
    (home / "config.toml").write_text("k = 1\nserver = 'http://home'\n", encoding="utf-8")
    assert (load(nowhere).k, load(nowhere).server) == (1, "http://home")
    here = nowhere / "aborist.toml"
    here.write_text("k = 2\n", encoding="utf-8")
    assert load(nowhere).k == 2
    assert load(nowhere).server == "http://localhost:8080"  # one file is read, not both
    named = nowhere / "named.toml"
    named.write_text("k = 3\n", encoding="utf-8")
    assert load(nowhere, ABORIST_CONFIG=str(named)).k == 3
    assert load(nowhere, ABORIST_CONFIG=str(named), ABORIST_K="4").k == 4


WRONG = [
    ("kk = 3\n", "kk"),
    ("k = 'many'\n", "'many'"),
    ("k = 1.5\n", "1.5"),
    ("k = true\n", "True"),
    ("shards = 3\n", "3"),
    ("link = ['zim']\n", "zim"),
    ("k = \n", "aborist.toml"),
    ("k == 3\n", "aborist.toml"),
    ("k = 1\nk = 2\n", "aborist.toml"),
    ("[fusion]\nk = 60\n", "fusion"),
]


@pytest.mark.parametrize(("text", "named"), WRONG)
def test_a_wrong_file_is_refused_and_the_fault_named(nowhere: Path, text: str, named: str) -> None:
    (nowhere / "aborist.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(nowhere)
    assert named in str(caught.value)


def test_a_file_that_is_no_text_is_refused(nowhere: Path) -> None:
    (nowhere / "aborist.toml").write_bytes(b"\xff\xfe\x00k")
    with pytest.raises(UsageError):
        load(nowhere)


@pytest.mark.parametrize("named", ["missing.toml", "."])
def test_a_named_file_that_is_not_there_is_refused(nowhere: Path, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(nowhere, ABORIST_CONFIG=named)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "text"),
    [("ABORIST_K", "many"), ("ABORIST_K", ""), ("ABORIST_K", "1.5"), ("ABORIST_WORKERS", "two"),
     ("ABORIST_LONGEST_QUESTION", "4 k"), ("ABORIST_K", "-3"), ("ABORIST_WORKERS", "-1"), ("ABORIST_K", "0")],
)  # fmt: skip
def test_a_wrong_variable_is_refused_and_named(nowhere: Path, variable: str, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(nowhere, **{variable: text})
    assert variable in str(caught.value)


@pytest.mark.parametrize("template", ["{nothing}", "{server", "{0}", "{path.x}"])
def test_a_link_template_that_cannot_be_filled_is_refused(nowhere: Path, template: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(nowhere, ABORIST_LINK=template)
    assert "link" in str(caught.value).lower()


def test_an_index_that_is_not_there_says_what_to_do(nowhere: Path) -> None:
    with pytest.raises(IndexStateError) as caught:
        open_engine(nowhere / "shards", load(nowhere))
    assert "aborist index" in caught.value.next
