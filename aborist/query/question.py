"""Takes a question apart: frame, topic spellings, quoted phrases, content words. No index is looked at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from aborist.query import frames
from aborist.text import fold, function_words, title_key, words
from aborist.types import Question, Word

__all__ = ["parse"]

LONGEST = 4096  # characters; DESIGN section 3
ECHOED = 200  # of a longer question
_QUOTED = re.compile(r"[\"“„«‟]([^\"“”„«»‟]{2,}?)[\"”“»‟]")
_ARTICLES = re.compile(r"(?:a|an|the|der|die|das|le|la|les|l|el|los|las|il|lo|gli|o|os|as) ")


def parse(text: str, *, archives: Iterable[str] = (), languages: Iterable[str] = (), longest: int = LONGEST) -> Question:
    """The question's parts. `archives` are names the question may address ("search NAME for ..."); `languages`
    are those of the index, whose function words count beside English and Russian ones."""
    clean = unicodedata.normalize("NFC", "".join(" " if _unseen(c) else c for c in text)).strip()
    if len(text) > longest:
        return _nothing(text[:ECHOED], f"question too long: {len(text)} characters, limit {longest}")
    archive, asked = _addressed(clean, archives)
    found = list(words(asked))
    if not found:
        return _nothing(clean, "empty question" if not clean else "no words in the question")
    # A word of several index terms (a run of Han, l'eau) stays one word for the frames.
    folded = [word.replace(" ", "\N{NO-BREAK SPACE}") for *_, word in found]
    function = frozenset().union(*(function_words(code) for code in {*frames.UNIVERSAL_FUNCTION_WORDS, *languages}))
    first, last, verb = _topic_range(folded)
    joined = " ".join(folded)
    content = [_is_content(n, folded, function, first, last) for n in range(len(folded))]
    if not any(content):
        content = [first <= n < last for n in range(len(folded))]
    spelled = [(start, end) for start, end, *_ in found]
    return Question(
        text=asked,
        words=tuple(
            Word(start, end, word, kept)
            for (start, end, _, word), kept in zip(found, content, strict=True)
        ),
        topics=_topics(asked, spelled, folded, first, last, verb),
        quotes=tuple(quote.strip() for quote in _QUOTED.findall(asked) if fold(quote)),
        saying=_saying(joined, asked, spelled, folded),
        asks=next((kind for kind, pattern in frames.ASKS if pattern.fullmatch(joined)), ""),
        archive=archive,
        empty="",
    )


def _nothing(text: str, why: str) -> Question:
    return Question(text, (), (), (), "", "", None, why)


def _unseen(letter: str) -> bool:
    """Control characters and lone surrogates: legal in a question, never part of a word."""
    return unicodedata.category(letter) in ("Cc", "Cs")


_ADDRESSED = re.compile(
    r"(?:please )?(?:search|look in|look up in|ask|find in|in|поищи в|найди в)\s+(\S+)\s*"
    r"(?:for|about|:|,|про|о|об)?\s+(.+)",
    re.IGNORECASE,
)


def _addressed(text: str, archives: Iterable[str]) -> tuple[str | None, str]:
    """The archive that the question names, and the question without it."""
    match = _ADDRESSED.fullmatch(text)
    if match:
        named = title_key(match.group(1))
        for archive in archives:
            if named in (title_key(archive), title_key(archive.split("_")[0])):
                return archive, match.group(2)
    return None, text


def _is_content(n: int, folded: list[str], function: frozenset[str], first: int, last: int) -> bool:
    return first <= n < last and folded[n] not in function


def _topic_range(folded: list[str]) -> tuple[int, int, int]:
    """(first, last, verb): the topic is folded[first:last]; from `verb` on it stands without its leading verb."""
    joined = " ".join(folded)
    start, end = 0, len(joined)
    asking = False
    peeled = True
    while peeled:
        peeled = False
        for pattern in frames.PREFIXES:
            match = pattern.match(joined, start, end)
            if match and match.end() < end and match.end() > start:
                start, peeled = match.end(), True
                asking = True
                break
    for _ in range(3):
        for pattern in frames.SUFFIXES:
            found = [m for m in pattern.finditer(joined, start, end) if m.end() == end]
            if found and found[0].start() > start:
                end = found[0].start()
    verb = start
    match = frames.LEADING_VERB.match(joined, start, end) if asking else None
    if match and match.end() < end:
        verb = match.end()
    return _word_at(joined, start), _word_at(joined, end + 1), _word_at(joined, verb)


def _word_at(joined: str, offset: int) -> int:
    """How many words end before a character offset of the joined words."""
    return joined[: max(0, offset - 1)].count(" ") + 1 if offset > 0 else 0


def _topics(
    text: str, spelled: list[tuple[int, int]], folded: list[str], first: int, last: int, verb: int
) -> tuple[str, ...]:
    """Spellings of the topic: the whole question, the peeled one, then without its verb and articles."""
    ranges = [(0, len(folded)), (first, last), (first, len(folded)), (verb, last)]
    for begin, end in list(ranges):
        if end - begin > 1 and _ARTICLES.match(folded[begin] + " "):
            ranges.append((begin + 1, end))
    chosen = [_cut(text, spelled, begin, end) for begin, end in ranges if begin < end]
    return tuple(dict.fromkeys(chosen))


def _cut(text: str, spelled: list[tuple[int, int]], begin: int, end: int) -> str:
    """The words begin..end as they stand, with the signs that cling to them (C#, .apple) but not the sentence's."""
    start = spelled[begin][0]
    while start > 0 and not text[start - 1].isspace() and (begin == 0 or start > spelled[begin - 1][1]):
        start -= 1
    stop = spelled[end - 1][1]
    limit = spelled[end][0] if end < len(spelled) else len(text)
    while stop < limit and not text[stop].isspace():
        stop += 1
    return text[start:stop].strip("\"“”„«»‟?¿¡!…,;:。？！ ").rstrip(".") or text[start:stop]


def _saying(joined: str, text: str, spelled: list[tuple[int, int]], folded: list[str]) -> str:
    for saying in frames.SAYINGS:
        match = saying.pattern.fullmatch(joined)
        if match:
            begin = _word_at(joined, match.start(1))
            end = _word_at(joined, match.end(1) + 1)
            return _cut(text, spelled, begin, end)
    return ""
