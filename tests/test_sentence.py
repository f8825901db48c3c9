"""Sentence ends: a table for each language, and what holds for any text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.sentence import sentences

# Each row is one text; "|" stands where sentences part.
SPLIT = [
    "It rained. | We left.",
    "Is it? | Yes! | No…  | Well.",
    'He said "Go." | She went. | (It rained.) | Then “stop!” | Next.',
    "It began in 1990. | The end came in 2001.",
    "World War II. | It ended.",
    "He had vitamin C. | The rest is known.",
    "He worked for Acme Inc. | It failed.",
    "He left at 5 p.m. | The door closed.",
    "It was made in the U.S. | The war began.",
    "Eggs, milk etc. | Bread was there.",
    "He came (late). | We did not wait.",
    "One [sic]. | Two.",
    "Он ушёл. | Она осталась.",
    "Пришли Анна, Иван и др. | Потом все ушли.",
    "Хлеб, соль и т. д. | Потом вода.",
    "Это было в 5 г. до н. э. | Потом пришли римляне.",
    "Он родился в 1812 г. | В детстве болел.",
    "«Где он?» | Никто не знал.",
    "« Bonjour ! » | Puis il partit.",
    "Es regnete. | Dann kam er.",
    "他来了。|她走了！|好吗？|是的",
    "「行く。」|彼は言った。",
    "هل هو؟ | نعم هو.",
    "यह है। | वह है।",
    "Նա եկավ։ | Նա գնաց։",
    "A line\n|another line",
    "Dr.\n|Smith",
]
WHOLE = [
    "Dr. Smith met Mr. J. R. Jones and Prof. A. Lee.",
    "In the U.S. Army he served.",
    "It has 3.14 and 1.234.567 and v2.0 in example.org here.",
    "Some fruit, e.g. Apples, i.e. Fruit of trees.",
    "See Fig. 3 and vol. 2, pp. 4-5, no. 7.",
    "He was born on Jan. 5 in St. Louis.",
    "Wait... what is it?",
    '"Is it?" he asked.',
    "1. First item of a list",
    "12. Item",
    "А. С. Пушкин родился в г. Москве в 1799 г. в семье.",
    "Это было в XX в. при т. н. царе, т. е. давно.",
    "Живёт на ул. Ленина, д. 5, см. рис. 3.",
    "«Где он?» спросил он.",
    "Am 3. Oktober 1990 war z. B. Berlin, d. h. Die Stadt.",
    "M. Dupont et Mme. Durand, av. Foch.",
    "No stop at all",
    "Yahoo! was founded.",
    "array[0].length and a.b",
]


@pytest.mark.parametrize("marked", [*SPLIT, *WHOLE])
def test_where_sentences_end(marked: str) -> None:
    text = marked.replace("|", "")
    assert [text[start:end] for start, end in sentences(text)] == [part.strip() for part in marked.split("|")]


TEXT = st.one_of(
    st.text(),
    st.lists(st.sampled_from([*'ABcdабВ19.!?。।؟…"»”)( \n\u00a0', "Dr.", "т. ", "The ", "e.g. "]), max_size=60).map(
        "".join
    ),
)


@given(TEXT)
def test_spans_cover_all_but_white_space_in_order(text: str) -> None:
    spans = sentences(text)
    last = 0
    for start, end in spans:
        assert last <= start < end
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert "\n" not in text[start:end]
        last = end
    assert not text[last:].strip()


@pytest.mark.parametrize(
    "text", ["." * 200_000, "a. " * 70_000, '."' * 100_000, "x" * 500_000, "A. " * 70_000, " " * 200_000]
)
def test_time_grows_with_the_text_alone(text: str) -> None:
    start = time.process_time()
    sentences(text)
    assert time.process_time() - start < 5  # about .1; quadratic would be minutes
