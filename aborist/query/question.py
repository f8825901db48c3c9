"""Takes a question apart: frame, topic spellings, quoted phrases, content words. No index is looked at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from aborist.query import frames
from aborist.query.numerals import respelled
from aborist.text import fold, function_words, title_key, words
from aborist.types import Question, Word

__all__ = ["parse"]

LONGEST = 4096  # characters
_MOST_QUOTES = 8  # that are looked for: each costs as much as a question of its own
ECHOED = 200  # of a longer question
_QUOTED = re.compile(r"[\"“„«‟]([^\"“”„«»‟]{2,}?)[\"”“»‟]|»([^\"“”„«»‟]{2,}?)«")
_ARTICLES = re.compile(
    r"(?:a|an|the|der|die|das|ein|eine|einen|un|une|una|uno|le|la|les|l|el|los|las|il|lo|gli|o|os|as) "
)


def parse(
    text: str, *, archives: Iterable[str] = (), languages: Iterable[str] = (), longest: int = LONGEST
) -> Question:
    """The question's parts. `archives` are names the question may address ("search NAME for ..."); `languages`
    are those of the index, whose function words count beside English and Russian ones."""
    clean = unicodedata.normalize("NFC", "".join(" " if _unseen(c) else c for c in text)).strip()
    if len(text) > longest:
        return _nothing(clean[:ECHOED], f"question too long: {len(text)} characters, limit {longest}")
    archive, asked = _addressed(clean, archives)
    found = list(words(asked))
    if not found:
        nothing = _nothing(clean, "empty question" if not clean else "no words in the question")
        return replace(nothing, text=clean, topics=(clean,)) if _has_sign(clean) else nothing
    # A word of several index terms (a run of Han, l'eau) stays one word for the frames.
    folded = [word.replace(" ", "\N{NO-BREAK SPACE}") for *_, word in found]
    function = frozenset().union(*(function_words(code) for code in {*frames.UNIVERSAL_FUNCTION_WORDS, *languages}))
    topic = _topic_range(folded)
    joined = " ".join(folded)
    asked_about = range(topic.first, topic.last)
    content = [n in asked_about and word not in function for n, word in enumerate(folded)]
    if not any(content):
        content = [n in asked_about for n in range(len(folded))]
    said = dict.fromkeys(quote.strip() for match in _QUOTED.findall(asked) for quote in match if fold(quote))
    quotes = tuple(said)[:_MOST_QUOTES]
    spelled = [(start, end) for start, end, *_ in found]
    topics = (
        *_named(quotes, content, folded, topic),
        *_sign(asked, spelled, folded),
        *_topics(asked, spelled, folded, topic),
    )
    return Question(
        asked=clean,
        text=asked,
        words=tuple(
            Word(start, end, word, kept, word not in function)
            for (start, end, _, word), kept in zip(found, content, strict=True)
        ),
        topics=tuple(dict.fromkeys(topics)),
        quotes=quotes,
        saying=_saying(joined, asked, spelled),
        framed=topic.framed or asked.endswith(("?", "？")),
        asks=next((kind for kind, pattern in frames.ASKS if pattern.fullmatch(joined)), ""),
        archive=archive,
        empty="",
    )


def _nothing(text: str, why: str) -> Question:
    return Question(text, "", (), (), (), "", False, "", None, why)


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
    if not match:
        return None, text
    named = title_key(match.group(1))
    by_name: dict[str, list[str]] = {}
    for archive in sorted(archives):
        for name in {title_key(archive), title_key(archive.split("_")[0])}:
            by_name.setdefault(name, []).append(archive)
    meant = [archive for archive in by_name.get(named, ()) if title_key(archive) == named] or by_name.get(named, [])
    return (meant[0], match.group(2)) if len(meant) == 1 else (None, text)


class _Range(NamedTuple):
    """Word numbers: the question proper is folded[starts[-1]:last], each of `starts` is a peel before it; its topic
    may start at `verb`, behind a verb, and end at `trailing`, before one."""

    starts: tuple[int, ...]
    framed: bool
    verb: int
    trailing: int
    last: int

    @property
    def first(self) -> int:
        return self.starts[-1]


def _topic_range(folded: list[str]) -> _Range:
    """What is left when the frame is peeled off both ends, stage by stage."""
    joined = " ".join(folded)
    starts, end, framed = [0], len(joined), False
    for patterns, most in frames.PREFIXES:
        for _ in range(most):
            if match := _first_match(patterns, joined, starts[-1], end):
                starts.append(match.end())
                framed = framed or patterns is not frames.GREETINGS
    while (cut := _suffix(frames.SUFFIXES, joined, starts[-1], end)) < end:
        end = cut
    trailing, verb = end, starts[-1]
    if verb > 0:
        while (cut := _suffix(frames.TRAILING_VERBS, joined, verb, trailing)) < trailing:
            trailing = cut
        match = frames.LEADING_VERB.match(joined, verb, end)
        if match and match.end() < end:
            verb = match.end()
    return _Range(
        tuple(_word_at(joined, start) for start in starts),
        framed,
        _word_at(joined, verb),
        _word_at(joined, trailing + 1),
        _word_at(joined, end + 1),
    )


def _first_match(patterns: Iterable[re.Pattern[str]], text: str, start: int, end: int) -> re.Match[str] | None:
    """The first pattern that fits at `start` and leaves something behind it."""
    for pattern in patterns:
        match = pattern.match(text, start, end)
        if match and start < match.end() < end:
            return match
    return None


def _suffix(patterns: Iterable[re.Pattern[str]], text: str, start: int, end: int) -> int:
    """Where the first fitting suffix begins, leaving something before it; `end` when none fits."""
    for pattern in patterns:
        for match in pattern.finditer(text, start, end):
            if match.end() == end and match.start() > start:
                return match.start()
    return end


def _word_at(joined: str, offset: int) -> int:
    """How many words end before a character offset of the joined words."""
    return joined[: max(0, offset - 1)].count(" ") + 1 if offset > 0 else 0


def _named(quotes: tuple[str, ...], content: list[bool], folded: list[str], topic: _Range) -> list[str]:
    """Quotations that are all the question is about, and so may be a title; not a word marked in a bare phrase."""
    asked = {word for word, kept in zip(folded, content, strict=True) if kept}
    said = {quote: fold(quote).split() for quote in quotes}
    return [
        quote
        for quote, words in said.items()
        if asked <= set(words) and (topic.framed or len(folded) - len(words) <= _FEW_WORDS)
    ]


_FEW_WORDS = 2  # beside a quotation that is the topic of what is no question


def _has_sign(text: str) -> bool:
    """Whether there is a sign that may be a name (an emoji, a planet's sign), not punctuation alone."""
    return any(unicodedata.category(letter)[0] in "SN" for letter in text)


def _sign(text: str, spelled: list[tuple[int, int]], folded: list[str]) -> list[str]:
    """A sign without a word that is asked about: what follows when all words are frame ("what is ♃")."""
    behind = text[spelled[-1][1] :].strip("?!.,;:？。！ ")
    # Hardly any question ends in one: only then are the frames peeled a second time.
    return [behind] if _has_sign(behind) and _topic_range([*folded, "x"]).first == len(spelled) else []


def _topics(text: str, spelled: list[tuple[int, int]], folded: list[str], topic: _Range) -> tuple[str, ...]:
    """Spellings of the topic: the whole question, then peeled step by step (a title may begin like a frame), then
    without verbs and articles; the barest last."""
    ranges = [(start, end) for start in topic.starts for end in (len(folded), topic.last)]
    ranges += [(begin, end) for begin in (topic.first, topic.verb) for end in (topic.trailing, topic.last)]
    for begin, end in list(ranges):
        if end - begin > 1 and _ARTICLES.match(folded[begin] + " "):
            ranges.append((begin + 1, end))
    chosen = [_cut(text, spelled, begin, end) for begin, end in ranges if begin < end]
    others = [other for name in chosen for other in respelled(name)]
    return tuple(dict.fromkeys([*chosen[:-1], *others, chosen[-1]]))


def _cut(text: str, spelled: list[tuple[int, int]], begin: int, end: int) -> str:
    """The words begin..end as they stand, with the signs that cling to them (C#, .apple) but not the sentence's."""
    start = spelled[begin][0]
    while start > 0 and not text[start - 1].isspace() and (begin == 0 or start > spelled[begin - 1][1]):
        start -= 1
    stop = spelled[end - 1][1]
    limit = spelled[end][0] if end < len(spelled) else len(text)
    while stop < limit and not text[stop].isspace():
        stop += 1
    return text[start:stop].strip('"“”„«»‟?¿¡!…,;:。？！ ').rstrip(".") or text[start:stop]


def _saying(joined: str, text: str, spelled: list[tuple[int, int]]) -> str:
    for pattern in frames.SAYINGS:
        match = pattern.fullmatch(joined)
        if match:
            begin = _word_at(joined, match.start(1))
            end = _word_at(joined, match.end(1) + 1)
            return _cut(text, spelled, begin, end)
    return ""
