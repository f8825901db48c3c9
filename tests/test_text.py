"""Words as index and question see them: tables for each script, and what holds for any text."""

from __future__ import annotations

import unicodedata

import apsw
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from aborist.text import (
    analyzer_for,
    chunks,
    fold,
    function_words,
    match_any,
    match_phrase,
    surfaces,
    title_bag,
    title_key,
    unchunked,
    words,
)

LANGUAGES = (
    "eng",
    "rus",
    "fra",
    "deu",
    "ara",
    "hin",
    "ell",
    "tur",
    "tam",
    "yid",
    "hye",
    "zho",
    "tha",
    "nep",
    "",
)
# Where folding has cases of its own: apostrophes, elisions, ligatures, marks, runs, controls, FTS5 syntax.
ODD_LETTERS = "'’ʼ＇‘-_ slLdqntDoO½№ßæÆŒøłİıΣςёЁйїがか\u3099\u0301\u0308\u0306éǣ中国ไท한ｶŉﬁ²①\"*^(){}:+\0\ud800"
texts = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from(ODD_LETTERS)), max_size=40)

FOLDED = [
    ("", ""),
    ("Tea", "tea"),
    ("tea, Milk; SUGAR!", "tea milk sugar"),
    ("snake_case", "snake case"),
    ("state-of-the-art", "state of the art"),
    ("3.14 and 1,000", "3 14 and 1 000"),
    ("AC/DC", "ac dc"),
    ("C#", "c"),
    # Latin letters lose their marks, composed or not, and ligatures come apart
    ("Café", "cafe"),
    ("Cafe\u0301", "cafe"),
    ("Dvořák Nguyễn Ångström", "dvorak nguyen angstrom"),
    ("Straße STRASSE GROẞ", "strasse strasse gross"),
    ("Łódź Ærø Œuvre Þór Ħal Đorđe", "lodz aero oeuvre thor hal dorde"),
    ("ŀl", "ll"),
    ("ﬁnance ﬂow oﬃce", "finance flow office"),
    ("İstanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul"),
    ("H₂O x² Ⅷ", "h2o x2 viii"),
    ("ＡＢＣ１２", "abc12"),
    # Cyrillic: ё is е, й ї ў are letters of their own, stress signs are none
    ("Ёж ёж е\u0308ж", "еж еж еж"),
    ("йод и\u0306од иод", "йод йод иод"),
    ("Київ Ўзбек", "київ ўзбек"),
    ("за\u0301мок замо\u0301к", "замок замок"),
    # Greek
    ("ΆΣ Ὀδυσσεύς λόγος", "ασ οδυσσευσ λογοσ"),
    # vocalised Arabic and Hebrew
    ("مُحَمَّد", "محمد"),
    ("أسرة إسلام", "اسرة اسلام"),
    ("שָׁלוֹם", "שלום"),
    # Indic vowel signs stay
    ("हिन्दी की", "हिन्दी की"),
    ("বাংলা தமிழ்", "বাংলা தமிழ்"),
    # kana keep their voicing, half width is full width
    ("が か\u3099", "が が"),
    ("ｶﾞｽ", "ガス"),
]  # fmt: skip
APOSTROPHES = [
    ("Brask's", "brask"),
    ("Brask’s", "brask"),
    ("Braskʼs", "brask"),
    ("Brask＇s", "brask"),
    ("the dogs' bowl", "the dogs bowl"),
    ("don't won't can’t", "dont wont cant"),
    ("rock'n'roll rock’n’roll", "rocknroll rocknroll"),
    ("O'Brien O’Brien", "o brien o brien"),
    ("l'eau L’Eau d'Étoiles qu'il", "l eau l eau d etoiles qu il"),
    ("l'œil", "l oeil"),
    ("aujourd'hui", "aujourdhui"),
    ("Qur'an Xi'an", "quran xian"),
    ("м'ята м’ята мʼята", "мята мята мята"),
    ("'quoted'", "quoted"),
]
RUNS = [
    ("中", "中"),
    ("中国", "中国"),
    ("日本語", "日本 本語"),
    ("東京タワー", "東京 京タ タワ ワー"),
    ("TCP协议", "tcp 协议"),
    ("协议TCP", "协议 tcp"),
    ("日本ABC語", "日本 abc 語"),
    ("한국어", "한국 국어"),
    ("ภาษาไทย", "ภา าษ ษา าไ ไท ทย"),
    ("中国's", "中国"),
    ("中国，东京", "中国 东京"),
]


@pytest.mark.parametrize(("text", "folded"), FOLDED + APOSTROPHES + RUNS)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(("text", "folded"), FOLDED + APOSTROPHES + RUNS)
def test_words_have_the_folded_forms_and_stand_where_they_say(text: str, folded: str) -> None:
    assert " ".join(form for *_, form in words(text)) == folded
    for start, end, surface, _ in words(text):
        assert text[start:end] == surface


# Each must stay one word: its marks are part of it, though no letters.
WHOLE = [
    "हिन्दी", "বাংলাদেশ", "ગુજરાતી", "தமிழ்", "తెలుగు", "ಕನ್ನಡ",
    "తెలంగాణ", "ಕಂಪನಿ", "മലയാളം", "പൗരൻ", "ਪੰਜਾਬੀ", "සිංහල", "ދިވެހި", "སྐད",
]  # fmt: skip


@pytest.mark.parametrize("word", WHOLE)
def test_a_word_with_vowel_signs_stays_whole(word: str) -> None:
    assert fold(word) == unicodedata.normalize("NFC", word)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ælfrǣd", "Aelfraed"), ("Ǽ", "AE"), ("Ǿresund", "Oresund"),  # a ligature or stroke under a mark
        ("Hawaiʻi", "Hawai'i"), ("Liliʻuokalani", "Liliuokalani"),  # the okina
        ("don‘t", "don't"), ("don´t", "don't"), ("don`t", "don't"),  # what keyboards give for an apostrophe
        ("Qurʾān", "Quran"), ("ʿIraq", "Iraq"),  # romanised hamza and ayn
        ("العـــربية", "العربية"),  # drawn out for looks
    ],
)  # fmt: skip
def test_two_spellings_of_one_word_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(("one", "other"), [("й", "и"), ("が", "か"), ("は", "ば"), ("ї", "і"), ("ў", "у")])
def test_marks_that_make_another_letter_stay(one: str, other: str) -> None:
    assert fold(one) != fold(other)
    assert title_key(one) != title_key(other)


STEMS = [
    ("eng", "mice mouse", "went go", "children child", "running run", "cities city", "women's woman", "wolves wolf",
     "analyses analysis", "Köln koln"),
    ("rus", "Парижа Париже Париж", "войну войны война", "ежами ежи ёж", "города городов"),
    ("fra", "chevaux cheval", "étoiles étoile"),
    ("deu", "Häuser Haus", "Straßen Straße"),
    ("spa", "casas casa"),
    ("fin", "talossa talot"),
    ("ara", "الكتاب كتاب"),
    ("ell", "λόγος λόγου"),
    ("tur", "evler ev"),
    # Another script than the archive's own has its stemmer too.
    ("eng", "войну война"),
    ("rus", "mice mouse", "running run"),
    ("zho", "running run", "войну война"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "forms"), [(language, forms) for language, *groups in STEMS for forms in groups])
def test_forms_of_a_word_share_a_stem(language: str, forms: str) -> None:
    assert len(set(analyzer_for(language).stems(forms).split())) == 1


@pytest.mark.parametrize(
    ("language", "one", "other"), [("eng", "university", "union"), ("eng", "new", "news"), ("rus", "мир", "мера"),
                                   ("eng", "1984", "1985"), ("eng", "go", "goose")]
)  # fmt: skip
def test_other_words_keep_other_stems(language: str, one: str, other: str) -> None:
    assert analyzer_for(language).stems(one) != analyzer_for(language).stems(other)


@pytest.mark.parametrize(
    ("short", "long"), [("en", "eng"), ("ru", "rus"), ("de", "ger"), ("FR", "fra"), ("ell", "gre")]
)
def test_language_codes_of_both_lengths_give_one_analyzer(short: str, long: str) -> None:
    assert analyzer_for(short).name == analyzer_for(long).name
    assert analyzer_for(short).language == analyzer_for(long).language


def test_an_unknown_language_is_stemmed_by_script_and_has_no_function_words() -> None:
    unknown = analyzer_for("tlh")
    assert unknown.stems("running войну") == analyzer_for("eng").stems("running войну")
    assert unknown.language == ""
    assert function_words("tlh") == frozenset()


def test_a_table_of_a_language_makes_another_analyzer_name() -> None:
    assert len({analyzer_for(code).name for code in ("eng", "rus", "deu", "fra", "ara")}) == 5
    assert analyzer_for("").name == analyzer_for("eng").name == analyzer_for("zho").name


@pytest.mark.parametrize("code", ["eng", "rus", "deu", "fra", "spa", "ita", "por", "nld", "pol", "ukr"])
def test_function_words_are_in_folded_form(code: str) -> None:
    assert function_words(code)
    assert all(fold(word) == word for word in function_words(code))


@pytest.mark.parametrize("word", ["what", "is", "the", "whats", "dont", "tell", "me", "please"])
def test_english_function_words(word: str) -> None:
    assert word in function_words("eng") & function_words("en")


@given(texts)
@example("l'中国")
@example("½'s")
@example("ŉ")
@example("ΙΟΥ")
def test_stems_and_folded_forms_have_the_same_number_of_tokens(text: str) -> None:
    for language in LANGUAGES:
        analyzer = analyzer_for(language)
        for surface in surfaces(text):
            assert len(analyzer[surface].split()) == len(fold(surface).split())
        assert len(analyzer.stems(text).split()) == len(fold(text).split())


@given(texts)
@example("a_b-c’d`e F'G ½'s İ_\xa0x\x1fy")
@example("\ud800 lone")
def test_a_text_has_the_words_of_its_chunks(text: str) -> None:
    plain = [form for surface in surfaces(text) for form in fold(surface).split()]
    assert [form for chunk in chunks(text) for form in fold(" ".join(unchunked(chunk))).split()] == plain
    for language in LANGUAGES:
        analyzer = analyzer_for(language)
        assert analyzer.stems(text) == " ".join(filter(None, map(analyzer.__getitem__, surfaces(text))))


@given(texts)
@example("l'中国")
def test_tokens_are_parted_by_one_blank(text: str) -> None:
    # Lengths in the index are counted by blanks.
    assert "  " not in fold(text)
    assert "  " not in analyzer_for("fra").stems(text)


@given(texts)
@example("ŉ")
@example("Ǽ")
@example("l'中国")
def test_folding_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(categories=("L", "M", "N", "Z")), max_size=12))
@example("Ælfrǣd")
@example("Ǿ")
@example("Ёй")
def test_composed_and_decomposed_letters_fold_alike(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assume(not unicodedata.combining(composed[:1] or "x"))
    # Indic, Tibetan and musical signs that Unicode itself never puts together again are left aside.
    assume(all(ord(letter) < 0x0900 or 0x1E00 <= ord(letter) < 0x2000 or 0xAC00 <= ord(letter) < 0xD7A4
               for letter in composed))  # fmt: skip
    decomposed = unicodedata.normalize("NFD", text)
    assert fold(decomposed) == fold(composed)
    assert title_key(decomposed) == title_key(composed)


@given(texts)
def test_offsets_reproduce_the_surfaces(text: str) -> None:
    found = list(words(text))
    assert [surface for *_, surface, _ in found] == [surface for surface in surfaces(text) if fold(surface)]
    end = 0
    for start, stop, surface, folded in found:
        assert end <= start < stop
        assert text[start:stop].replace("_", " ") == surface
        assert fold(surface) == folded
        end = stop
    assert " ".join(folded for *_, folded in found).split() == fold(text).split()


def test_a_word_of_any_length_has_a_bounded_stem_and_leaves_the_caches_alone() -> None:
    analyzer = analyzer_for("eng")
    kept = len(analyzer)
    assert len(analyzer.stems("x" * 100_000)) <= 64
    assert len(analyzer) == kept


# -- FTS5 ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> apsw.Connection:
    """An FTS5 table with the index's tokenizer; rows are put in by each test and taken out again."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE passage USING fts5(body, head, tokenize='ascii')")
    return db


def matching(db: apsw.Connection, rows: list[list[str]], expression: str) -> list[int]:
    with db:
        db.execute("DELETE FROM passage").fetchall()
        db.executemany(
            "INSERT INTO passage(rowid, body, head) VALUES(?, ?, '')",
            ((n, " ".join(row)) for n, row in enumerate(rows)),
        )
    found = db.execute("SELECT rowid FROM passage WHERE passage MATCH ? ORDER BY rowid", (expression,)).fetchall()
    return [int(str(n)) for (n,) in found]


def holds(row: list[str], phrase: list[str]) -> bool:
    return any(row[n : n + len(phrase)] == phrase for n in range(len(row)))


SYNTAX = ["AND", "tea AND", "NOT tea", "NEAR(a b, 1)", "body : tea", "{body head}: tea", '"tea', 'te"a', "tea*", "^tea",
          "-tea", "+ tea +", "(tea", "tea)", "' OR 1=1 --", "a\0b", "\ud800tea", "_", "a_b",
          "Straße 中国 л'eau"]  # fmt: skip


@pytest.mark.parametrize("text", SYNTAX)
def test_no_text_is_syntax_to_fts5(table: apsw.Connection, text: str) -> None:
    stems = analyzer_for("eng").stems(text).split()
    rows = [stems, ["something", "else"], [*stems, "more"]]
    if stems:
        assert matching(table, rows, match_phrase(stems)) == [0, 2]
        assert matching(table, rows, match_any(stems)) == [0, 2]


@given(text=texts, others=st.lists(texts, max_size=4))
def test_phrases_and_alternatives_match_exactly_the_rows_that_hold_them(
    table: apsw.Connection, text: str, others: list[str]
) -> None:
    analyzer = analyzer_for("eng")
    stems = analyzer.stems(text).split()
    assume(stems)
    rows = [analyzer.stems(other).split() for other in [*others, text, *(text[n:] for n in (1, 2))]]
    assert matching(table, rows, match_phrase(stems)) == [n for n, row in enumerate(rows) if holds(row, stems)]
    assert matching(table, rows, match_any(stems)) == [
        n for n, row in enumerate(rows) if not set(stems).isdisjoint(row)
    ]


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_even_text_that_was_not_analysed_is_no_syntax(text: str) -> None:
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE passage USING fts5(body, tokenize='ascii')")
    db.execute("SELECT rowid FROM passage WHERE passage MATCH ?", (match_phrase([text]),)).fetchall()
    db.execute("SELECT rowid FROM passage WHERE passage MATCH ?", (match_any([text, text]),)).fetchall()


# -- titles ----------------------------------------------------------------------------------------------------------

SAME_KEY = [
    ("R2-D2", "r2d2"), ("R2-D2", "R2 D2"), ("FM Synthese", "FM-Synthese"), ("Brask's theory", "Brask’s theory"),
    ("Brasks theory", "Brask's theory"), ("TCP/IP", "tcp ip"), ("WALL·E", "WALL-E"), ("Wall_E", "wall e"),
    ("Ёж", "еж"), ("Ёж", "Е\u0308ж"), ("Straße", "STRASSE"), ("África", "Africa"), ("O'Brien", "OBrien"),
    ("Yahoo!", "Yahoo"), ("Nineteen Eighty-Four", "nineteen eighty four"), ("ＡＢＣ", "abc"), ("„Tea“", "tea"),
    ("2001: A Space Odyssey", "2001 a space odyssey"), ("日本・東京", "日本東京"),
]  # fmt: skip
OTHER_KEY = [
    ("C", "C#"), ("C", "C++"), ("C#", "C++"), ("R&D", "RD"), ("A*", "A"), ("50%", "50"), ("$100", "100"),
    ("M*A*S*H", "MASH"), ("!!!", "!"), ("?", "!"), ("...", "."), ("☃", "☺"), ("йод", "иод"), ("1984", "1985"),
    ("C♯", "C"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME_KEY)
def test_titles_that_differ_by_blanks_and_punctuation_share_a_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(("one", "other"), OTHER_KEY)
def test_titles_that_differ_by_nothing_but_a_sign_keep_their_own_keys(one: str, other: str) -> None:
    assert title_key(one) != title_key(other)


@pytest.mark.parametrize("title", ["!!!", "?", "...", "☃", "()", "—", "👍"])
def test_a_title_of_punctuation_is_its_own_key(title: str) -> None:
    assert title_key(title) == title


@given(texts)
def test_keys_ignore_case_blanks_and_hyphens(text: str) -> None:
    plain = text.replace("-", "").replace("_", "")
    assume(any(letter.isalnum() for letter in plain))
    assert title_key(f" {text} ") == title_key(text)
    assert title_key(text.casefold()) == title_key(text)
    assert " " not in title_key(text)


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=4), max_size=6))
def test_a_bag_ignores_order_and_repetition(stems: list[str]) -> None:
    assert title_bag(" ".join(stems)) == title_bag(" ".join(reversed(stems + stems)))
    assert set(title_bag(" ".join(stems)).split()) == set(stems)


def test_inverted_and_inflected_names_share_a_bag() -> None:
    russian = analyzer_for("rus")
    assert title_bag(analyzer_for("eng").stems("Torvalds, Linus")) == title_bag(
        analyzer_for("eng").stems("Linus Torvalds")
    )
    assert title_bag(russian.stems("Войну и мир")) == title_bag(russian.stems("Война и мир"))
