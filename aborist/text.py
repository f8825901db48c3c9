"""Words as both sides see them: one copy of normalisation for the index and for the question.

A *surface* is a word as it stands in the text. From it come
- its *folded* form: NFKC, case folded, diacritics dropped where the script drops them (é = e, ё = е,
  but й is not и and が is not か), apostrophes and elisions settled; this is the exact form;
- its *stem*: the folded form through the Snowball stemmer of its script; this is what is indexed.
Runs of Han, kana, Hangul, Thai, Lao, Khmer and Burmese have no spaces between words: they become overlapping
character pairs in both forms.

Stemmers: https://snowballstem.org/algorithms/ (through PyStemmer). Forms: https://unicode.org/reports/tr15/.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import Stemmer

__all__ = [
    "ANALYZER_VERSION",
    "Analyzer",
    "Word",
    "analyzer_for",
    "fold",
    "function_words",
    "match_any",
    "match_phrase",
    "surfaces",
    "title_bag",
    "title_key",
    "words",
]

ANALYZER_VERSION = 1

# Marks that belong to the letter before them: without them Hindi or decomposed French falls to pieces.
_MARKS = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in (
        (0x0300, 0x036F), (0x0483, 0x0487), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670),
        (0x06D6, 0x06DC), (0x0900, 0x0903), (0x093A, 0x094F), (0x0962, 0x0963), (0x0981, 0x0983), (0x09BC, 0x09CD),
        (0x0A01, 0x0A03), (0x0A3C, 0x0A4D), (0x0A81, 0x0A83), (0x0ABC, 0x0ACD), (0x0B01, 0x0B03), (0x0B3C, 0x0B4D),
        (0x0BBE, 0x0BCD), (0x0C3E, 0x0C4D), (0x0CBC, 0x0CCD), (0x0D3E, 0x0D4D), (0x0DCA, 0x0DDF), (0x0E31, 0x0E3A),
        (0x0E47, 0x0E4E), (0x0EB1, 0x0EBC), (0x0EC8, 0x0ECD), (0x0F71, 0x0F84), (0x102B, 0x103E), (0x17B4, 0x17D3),
        (0x3099, 0x309A),
    )
)  # fmt: skip
_SURFACE = re.compile(rf"[\w{_MARKS}]+(?:['’ʼ＇][\w{_MARKS}]+)*")

# Scripts written without spaces between words, and Hangul, whose particles cling to the word.
_RUN = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUNS = re.compile(rf"[{_RUN}]+|[^{_RUN}]+")
_IS_RUN = re.compile(rf"[{_RUN}]")

_APOSTROPHES = str.maketrans("’ʼ＇", "'''")
# Words that lean on the next one before an apostrophe: French, Italian, Catalan, Irish names.
_ELIDED = frozenset(
    "all bell c coll d dall degl dell dov g j jusqu l lorsqu m n nell o presqu puisqu qu quell quelqu quoiqu "
    "s sant sull t un v".split()
)
_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "ħ": "h",
        "ŀ": "l",
    }
)
_CACHE_LIMIT = 400_000  # surfaces kept a process: about 60 MB; English Wikipedia's commonest 400 k cover 99 % of tokens
_LONGEST = 64  # characters of a stem: longer ones are base64 and keyboard noise

# Which stemmer serves a script where the archive's own language does not write in it.
_BY_SCRIPT = {
    "LATIN": "english",
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "ARMENIAN": "armenian",
    "DEVANAGARI": "hindi",
    "HEBREW": "yiddish",
    "TAMIL": "tamil",
}
# ISO 639 codes as archives carry them (both lengths), to Snowball's names.
_LANGUAGES = {
    "ara": "arabic", "hye": "armenian", "eus": "basque", "cat": "catalan", "ces": "czech", "dan": "danish",
    "nld": "dutch", "fas": "persian",
    "eng": "english", "simple": "english", "epo": "esperanto", "est": "estonian", "fin": "finnish",
    "fra": "french", "deu": "german", "ell": "greek", "hin": "hindi", "hun": "hungarian", "ind": "indonesian",
    "gle": "irish", "ita": "italian", "lit": "lithuanian", "nep": "nepali", "nor": "norwegian",
    "nob": "norwegian", "nno": "norwegian", "pol": "polish", "por": "portuguese", "ron": "romanian",
    "rus": "russian", "srp": "serbian", "spa": "spanish", "swe": "swedish", "tam": "tamil", "tur": "turkish",
    "yid": "yiddish",
}  # fmt: skip
_SHORT = {
    "ar": "ara", "hy": "hye", "eu": "eus", "ca": "cat", "cs": "ces", "cze": "ces", "fa": "fas", "per": "fas",
    "da": "dan", "nl": "nld", "en": "eng", "eo": "epo", "et": "est", "fi": "fin", "fr": "fra", "de": "deu",
    "el": "ell", "hi": "hin", "hu": "hun", "id": "ind", "ga": "gle", "it": "ita", "lt": "lit", "ne": "nep",
    "no": "nor", "nb": "nob", "nn": "nno", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sr": "srp",
    "es": "spa", "sv": "swe", "ta": "tam", "tr": "tur", "uk": "ukr", "yi": "yid", "fre": "fra", "ger": "deu",
    "dut": "nld", "rum": "ron", "gre": "ell", "arm": "hye", "baq": "eus",
}  # fmt: skip
_SCRIPT_OF = {"russian": "CYRILLIC", "serbian": "CYRILLIC", "greek": "GREEK", "arabic": "ARABIC", "persian": "ARABIC",
              "armenian": "ARMENIAN", "hindi": "DEVANAGARI", "nepali": "DEVANAGARI", "tamil": "TAMIL",
              "yiddish": "HEBREW"}  # fmt: skip


class Word(NamedTuple):
    """One word of a text: `text[start:end]`, its exact form and its stem (several, for a run, joined by blanks)."""

    start: int
    end: int
    folded: str
    stem: str


def surfaces(text: str) -> list[str]:
    """The words of a text as they stand, in order; `_` separates words."""
    return _SURFACE.findall(text.replace("_", " "))


class _Folded(dict[str, str]):
    """Surface to folded form, filled as words are met."""

    def __missing__(self, surface: str) -> str:
        folded = _fold_surface(surface)
        if len(self) < _CACHE_LIMIT and len(surface) <= _LONGEST:
            self[sys.intern(surface)] = folded
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """The exact forms of a text's words, joined by blanks."""
    return " ".join(filter(None, map(_FOLDED.__getitem__, surfaces(text))))


def _fold_surface(surface: str) -> str:
    word = surface.casefold() if surface.isascii() else _fold_marks(surface)
    if "'" in word:
        word = _settle_apostrophes(word)
    if not word.isascii() and _IS_RUN.search(word):
        word = " ".join(_pairs(word))
    return word


def _fold_marks(surface: str) -> str:
    word = _drop_marks(unicodedata.normalize("NFKC", surface.translate(_APOSTROPHES)).casefold())
    # What NFKC breaks open (½, №, ℃) may hold signs that are no part of a word.
    return "".join(c for c in word if c.isalnum() or c == "'" or unicodedata.category(c)[0] == "M")


def _drop_marks(text: str) -> str:
    """Case-folded text without the marks its script can spare, composed again (NFC)."""
    text = text.translate(_LETTERS)
    if text.isascii():
        return text
    kept: list[str] = []
    for letter in unicodedata.normalize("NFD", text):
        if not (unicodedata.combining(letter) and kept and _drops_mark(kept[-1], letter)):
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def _drops_mark(base: str, mark: str) -> bool:
    """Whether the mark only decorates: Latin, Greek, ё and stress signs, vocalised Arabic and Hebrew."""
    if "\u0400" <= base <= "\u052f":
        return not (mark == "\u0306" or (mark == "\u0308" and base == "і"))  # й, ў and ї are letters of their own
    return base < "\u0400" or "\u1e00" <= base < "\u2000" or "\u0590" <= mark <= "\u06dc"


def _settle_apostrophes(word: str) -> str:
    """brask's and brasks' are brask; l'eau is l eau; don't is dont; rock'n'roll is rocknroll."""
    word = word.removesuffix("'s")
    head, mark, tail = word.partition("'")
    if mark and head in _ELIDED:
        return f"{head} {tail.replace(chr(39), '')}"
    return word.replace("'", "")


def _pairs(word: str) -> Iterator[str]:
    for run in _RUNS.findall(word):
        if len(run) == 1 or not _IS_RUN.match(run):
            yield run
        else:
            yield from (run[i : i + 2] for i in range(len(run) - 1))


class Analyzer(dict[str, str]):
    """Turns surfaces to stems for the archives of one language; a mapping that fills itself.

    `name` says all that the stems depend on: two indexes with equal names may share statistics.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        code = _SHORT.get(language.lower(), language.lower())
        own = _LANGUAGES.get(code, "english")
        self.language = code if code in _LANGUAGES else ("" if code else "eng")
        by_script = _BY_SCRIPT | {_SCRIPT_OF.get(own, "LATIN"): own}
        self._stemmers = {script: Stemmer.Stemmer(name, 0) for script, name in by_script.items()}
        self._irregular = _irregular() if by_script["LATIN"] == "english" else {}
        self.name = f"snowball-{own}-v{ANALYZER_VERSION}"

    def __missing__(self, surface: str) -> str:
        stem = " ".join(map(self._stem, _FOLDED[surface].split(" ")))
        if len(self) < _CACHE_LIMIT and len(surface) <= _LONGEST:
            self[surface] = stem
        return stem

    def _stem(self, folded: str) -> str:
        if len(folded) < 3 or folded.isdigit():
            return folded
        folded = self._irregular.get(folded, folded)
        stemmer = self._stemmers.get("LATIN" if folded.isascii() else _script(folded[0]))
        return (stemmer.stemWord(folded) if stemmer else folded)[:_LONGEST]

    def stems(self, text: str) -> str:
        """The stems of a text joined by blanks: what FTS5 is given, whose `ascii` tokenizer splits it again."""
        return " ".join(filter(None, map(self.__getitem__, surfaces(text))))

    def words(self, text: str) -> list[Word]:
        """The words with their places in the text, for highlights and exact windows."""
        return [Word(start, end, folded, self[surface]) for start, end, surface, folded in words(text)]


def words(text: str) -> Iterator[tuple[int, int, str, str]]:
    """(start, end, surface, folded) of each word that has a folded form."""
    for match in _SURFACE.finditer(text.replace("_", " ")):
        surface = match.group()
        if folded := _FOLDED[surface]:
            yield match.start(), match.end(), surface, folded


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


@cache
def analyzer_for(language: str) -> Analyzer:
    """The analyzer of an archive's language code ("eng", "ru"); unknown languages get the scripts' defaults."""
    return Analyzer(language)


@cache
def _irregular() -> dict[str, str]:
    """English forms that suffix stemming cannot join (mice, went), to their base form."""
    table = files("aborist").joinpath("data/irregular_en.txt").read_text(encoding="utf-8")
    pairs = (line.split() for line in table.splitlines() if line and not line.startswith("#"))
    return {form: base for base, *forms in pairs for form in forms}


@cache
def function_words(language: str) -> frozenset[str]:
    """Folded words that carry no topic (articles, pronouns, prepositions, auxiliaries) in a language; may be empty."""
    code = _SHORT.get(language, language)
    table = files("aborist").joinpath("data/function_words.txt").read_text(encoding="utf-8")
    chosen: set[str] = set()
    for line in table.splitlines():
        name, _, listed = line.partition(":")
        if name == code:
            chosen.update(fold(listed).split())
    return frozenset(chosen)


# What is kept of a title's signs, because titles differ by nothing else (C, C++, C#; R&D, RD; A*, A).
_KEPT_SIGNS = re.compile(rf"[^\w{_MARKS}#+&%@$*=<>~^√∞°†‡€£¥§]")


def title_key(title: str) -> str:
    """The form under which a title is looked up: folded, without blanks and punctuation, so that R2-D2 is R2D2,
    FM Synthese is FM-Synthese and Brask’s theory is Brask's theory; signs that tell titles apart stay (C#).

    A title of punctuation alone is its own key.
    """
    plain = unicodedata.normalize("NFKC", title.translate(_APOSTROPHES)).casefold()
    key = _KEPT_SIGNS.sub("", _drop_marks(plain)).replace("_", "")
    return key or "".join(title.split()).casefold()


def title_bag(stems: str) -> str:
    """Distinct stems in order: one form for "Torvalds, Linus" and "Linus Torvalds", whatever the case endings."""
    return " ".join(sorted(set(stems.split())))


def match_phrase(stems: Iterable[str]) -> str:
    """An FTS5 phrase of these stems and nothing else: quotes are doubled, so no text can become syntax.

    https://www.sqlite.org/fts5.html#fts5_strings
    """
    return '"' + " ".join(stems).replace('"', '""').replace("\0", " ") + '"'


def match_any(stems: Iterable[str]) -> str:
    """An FTS5 expression that matches a row with any of the stems."""
    return " OR ".join(match_phrase((stem,)) for stem in stems)
