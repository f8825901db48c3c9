"""Which stems belong to words derived from one another, where a language's stemmer keeps them apart.

Porter's English stemmer and Snowball's German, French and Spanish ones take derivational suffixes away (organis-ation,
Bild-ung, organiza-ción); the Russian one takes away inflection and -ость alone (https://snowballstem.org/algorithms/
russian/stemmer.html), so that финансировал and финансирование, Амазонки and амазонский, плёнок and плёнка meet in no
stem. `kin` says what else a stem may stand beside; the stems themselves, and so the index, stay as they are.

Suffixes and alternations: Русская грамматика (АН СССР, 1980), volume 1, Словообразование and Морфонология.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

__all__ = ["kin"]

_CACHED = 512  # stems whose kin are kept: some 200 strings each, 10 MB at most
_LEAST = 4  # letters of a common base: shorter ones (стол-: столь, столица; вер-: вера, верх) join what is not akin

# What Snowball leaves of the suffixes, by the word they form.
_SUFFIXES = frozenset(
    # verbs: themes, and the imperfective and loan verbs
    "а я и е ова ева ирова изирова ыва ива ва "
    # verbal nouns and participles
    "н ен лен ан ян ван ован ирован изирован т ат "
    # abstract nouns
    "ств тельств ительств ательств еств ост ност енност нност имост изм ац изац ирац "
    # persons, instruments, diminutives, feminines
    "тел ител ател ец ц к ок ек ик ник щик чик ист "
    # adjectives
    "ск еск ическ ийск анск янск енск инск овск ов ев енн онн ивн альн иальн тельн ительн ательн ствен ственн "
    "еств ествен".split()
)
_VOWELS = frozenset("аеиоуыэюя")
_CONSONANTS = frozenset("бвгджзйклмнпрстфхцчшщ")
_AFTER_CONSONANTS = _VOWELS | frozenset("кцс")  # first letters of suffixes that a vowel does not stand before
_LABIALS = frozenset("бвмпф")
# Velars before -н-, -ск-, -ств- (наука, научный; Волга, волжский), both ways.
_SOFTENED: Mapping[str, str] = {"к": "ч", "г": "ж", "х": "ш", "ц": "ч", "ч": "кц", "ж": "г", "ш": "х"}
_FLEETING = frozenset("кцнр")  # before which о and е come and go: окно, окон; американец, американца


def kin(stem: str, language: str) -> frozenset[str]:
    """Every stem that a word derived as `stem`'s is could have, itself left out; most are of no word.

    `language` is an `Analyzer.language`; empty for one whose stemmer takes derivation away itself.
    """
    rule = _RULES.get(language)
    return rule(stem) if rule else frozenset()


@lru_cache(maxsize=_CACHED)
def _russian(stem: str) -> frozenset[str]:
    if not set(stem) <= _VOWELS | _CONSONANTS | {"ь", "ъ"}:
        return frozenset()
    forms = {form for whole in (stem, *_fleeting(stem)) for form in (whole, *_from_whole(whole))}
    return frozenset(forms - {stem})


def _from_whole(stem: str) -> Iterator[str]:
    """The stem further suffixed, and what is left of it without a suffix, bare or with another."""
    yield from _suffixed(stem)
    for suffix in _SUFFIXES:
        base = stem.removesuffix(suffix)
        if base == stem or len(base) < _LEAST or not _fits(base, suffix):
            continue
        yield from _softened(base)
        if len(base) > _LEAST:  # two suffixes on four letters are mostly two words (столик, столичный)
            yield from _suffixed(base)


def _suffixed(base: str) -> Iterator[str]:
    if len(base) < _LEAST:
        return
    for form in _softened(base):
        yield from (form + suffix for suffix in _SUFFIXES if _fits(form, suffix))
    if base[-1] in _LABIALS:  # восстановить, восстановление
        yield base + "л"
    elif base[-1] == "л" and base[-2] in _LABIALS:
        yield base[:-1]


def _fits(base: str, suffix: str) -> bool:
    return base[-1] not in _VOWELS or suffix[0] not in _AFTER_CONSONANTS


def _softened(base: str) -> Iterator[str]:
    yield base
    yield from (base[:-1] + other for other in _SOFTENED.get(base[-1], ""))


def _fleeting(stem: str) -> Iterator[str]:
    """With its last vowel gone, or one put in, before a last consonant that has such vowels."""
    if len(stem) < _LEAST or stem[-1] not in _FLEETING:
        return
    if stem[-2] in _CONSONANTS:
        yield from (stem[:-1] + vowel + stem[-1] for vowel in "ое")
    elif len(stem) > _LEAST and stem[-2] in "ое" and stem[-3] in _CONSONANTS:
        yield stem[:-2] + stem[-1]


# A language whose stemmer leaves derivation in the stem, and its rule.
_RULES: Mapping[str, Callable[[str], frozenset[str]]] = {"rus": _russian}
