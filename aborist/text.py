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

import Stemmer

__all__ = [
    "ANALYZER_VERSION",
    "LEAD_TOKENS",
    "Analyzer",
    "analyzer_for",
    "chunks",
    "fold",
    "function_words",
    "keep_words",
    "match_any",
    "match_phrase",
    "surfaces",
    "title_bag",
    "title_key",
    "unchunked",
    "words",
]

ANALYZER_VERSION = 1
LEAD_TOKENS = 100  # a lead is the title and so many first tokens (bench/NOTES.md); both sides count it so

# Apostrophes as keyboards and typesetters write them; modifier letters (Hawaiʻi) are used for the same.
_APOSTROPHE_SIGNS = "'’‘ʼʻʾʿ´`＇"


def _mark_class() -> str:
    """The combining marks of all scripts as a regex class: without them Hindi or decomposed French falls to pieces."""
    blocks = (range(0x0300, 0x2000), range(0x20D0, 0x2100), range(0x3000, 0x3100), range(0xA600, 0xAC00),
              range(0xFB00, 0xFE30), range(0x11000, 0x11800))  # fmt: skip
    return "".join(chr(n) for block in blocks for n in block if unicodedata.category(chr(n))[0] == "M")


_MARKS = _mark_class()
_SURFACE = re.compile(rf"[\w{_MARKS}]+(?:[{_APOSTROPHE_SIGNS}][\w{_MARKS}]+)*")

# Scripts written without spaces between words, and Hangul, whose particles cling to the word.
_RUN = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUNS = re.compile(rf"[{_RUN}]+|[^{_RUN}]+")
_IS_RUN = re.compile(rf"[{_RUN}]")

_APOSTROPHES = str.maketrans(dict.fromkeys(_APOSTROPHE_SIGNS, "'"))
# Words that lean on the next one before an apostrophe: French, Italian, Catalan, Irish names.
_ELIDED = frozenset(
    "all bell c coll d dall degl dell dov g j jusqu l lorsqu m n nell o presqu puisqu qu quell quelqu quoiqu "
    "s sant sull t un v".split()
)
_LETTERS = str.maketrans(
    {
        "\N{ARABIC TATWEEL}": None,
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
_kept = _CACHE_LIMIT
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


def surfaces(text: str) -> list[str]:
    """The words of a text as they stand, in order; `_` separates words."""
    return _SURFACE.findall(text.replace("_", " "))


# All of ASCII but letters, digits and apostrophes is a blank; capitals fold to small letters whatever else does.
_PLAIN = bytes(
    code if code >= 128 or chr(code) in "'`" or chr(code).isalnum() else ord(" ") for code in range(256)
).lower()


def chunks(text: str) -> list[bytes]:
    """A text cut at the signs of ASCII that no word holds, in UTF-8 with small letters: the words of the chunks are the
    words of the text. One word a chunk nearly always, none for a dash, several for what leans on an apostrophe.

    In C and with few different results, so that what is known of a chunk is worth keeping. 2026-11-30, passages of
    enwiki_medium, CPU a word: .06 us, where finding words by their pattern takes .2.
    """
    return text.encode("utf-8", "surrogatepass").translate(_PLAIN).split()


def unchunked(chunk: bytes) -> list[str]:
    """The words of a chunk."""
    return surfaces(chunk.decode("utf-8", "surrogatepass"))


def keep_words(most: int) -> None:
    """Keep so many words at most, from here on, in the cache of folded forms and in each analyzer's."""
    global _kept  # noqa: PLW0603  one process has one cache
    _kept = most


class _Folded(dict[str, str]):
    """Surface to folded form, filled as words are met."""

    def __missing__(self, surface: str) -> str:
        folded = _fold_surface(surface)
        if len(self) < _kept and len(surface) <= _LONGEST:
            self[sys.intern(surface)] = folded
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """The exact forms of a text's words, joined by blanks."""
    return " ".join(filter(None, map(_FOLDED.__getitem__, surfaces(text))))


def _fold_surface(surface: str) -> str:
    word = surface.replace("`", "'").casefold() if surface.isascii() else _fold_marks(surface)
    if "'" in word:
        word = _settle_apostrophes(word)
    if not word.isascii() and _IS_RUN.search(word):
        word = " ".join(pair for piece in word.split() for pair in _pairs(piece))
    return word


def _fold_marks(surface: str) -> str:
    plain = unicodedata.normalize("NFKC", surface.translate(_APOSTROPHES)).translate(_APOSTROPHES)
    word = _drop_marks(plain.casefold())
    # What NFKC breaks open (½, №, ℃) may hold signs that are no part of a word.
    kept = "".join(c for c in word if c.isalnum() or c == "'" or unicodedata.category(c)[0] == "M")
    return kept if any(map(str.isalnum, kept)) else ""


def _drop_marks(text: str) -> str:
    """Case-folded text without the marks its script can spare, composed again (NFC)."""
    text = text.translate(_LETTERS)
    if text.isascii():
        return text
    kept: list[str] = []
    for letter in unicodedata.normalize("NFD", text):
        if not (unicodedata.combining(letter) and kept and _drops_mark(kept[-1], letter)):
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTERS)


def _drops_mark(base: str, mark: str) -> bool:
    """Whether the mark only decorates: Latin, Greek, ё and stress signs, vocalised Arabic and Hebrew."""
    if "\u0400" <= base <= "\u052f":
        return not (mark == "\u0306" or (mark == "\u0308" and base == "і"))  # й, ў and ї are letters of their own
    return base < "\u0400" or "\u1e00" <= base < "\u2000" or "\u0590" <= mark <= "\u06dc"


def _settle_apostrophes(word: str) -> str:
    """brask's and brasks' are brask; l'eau is l eau; don't is dont; rock'n'roll is rocknroll."""
    word = word.removesuffix("'s")
    head, mark, tail = word.lstrip("'").partition("'")
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
        self._chunks = _Chunks(self)

    def stem(self, surface: str) -> str:
        """What the mapping gives for a surface, not kept: for those who keep it themselves."""
        if surface.isalnum() and surface.isascii():
            return self._stem(surface.lower())
        return " ".join(map(self._stem, _fold_surface(surface).split(" ")))

    def __missing__(self, surface: str) -> str:
        stem = " ".join(map(self._stem, _FOLDED[surface].split(" ")))
        if len(self) < _kept and len(surface) <= _LONGEST:
            self[surface] = stem
        return stem

    def _stem(self, folded: str) -> str:
        if len(folded) < 3 or folded.isdigit():
            return folded
        folded = self._irregular.get(folded, folded)
        stemmer = self._stemmers.get("LATIN" if folded.isascii() else _script(folded[0]))
        # Some Greek words are all ending to their stemmer: a word without a stem is its own.
        return ((stemmer.stemWord(folded) if stemmer else folded) or folded)[:_LONGEST]

    def stems(self, text: str) -> str:
        """The stems of a text joined by blanks: what FTS5 is given, whose `ascii` tokenizer splits it again."""
        return " ".join(filter(None, map(self._chunks.__getitem__, chunks(text))))


class _Chunks(dict[bytes, str]):
    """Chunk to its stems, filled as chunks are met."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self._analyzer = analyzer

    def __missing__(self, chunk: bytes) -> str:
        stems = " ".join(filter(None, map(self._analyzer.__getitem__, unchunked(chunk))))
        if len(self) < _kept and len(chunk) <= _LONGEST:
            self[chunk] = sys.intern(stems)
        return stems


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
    code = _SHORT.get(language.lower(), language.lower())
    table = files("aborist").joinpath("data/function_words.txt").read_text(encoding="utf-8")
    chosen: set[str] = set()
    for line in table.splitlines():
        name, _, listed = line.partition(":")
        if name == code:
            chosen.update(fold(listed).split())
    return frozenset(chosen)


# What is kept of a title's signs, because titles differ by nothing else (C, C++, C#; R&D, RD; A*, A).
_KEPT_SIGNS = re.compile(rf"[^\w{_MARKS}#+&%@$*=<>~^√∞°†‡€£¥§♯♭]")


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
