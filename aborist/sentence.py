"""Where sentences end. Doubt is settled towards not splitting: a quote that is too long still says what it
said, half a sentence may not.
"""

from __future__ import annotations

import re

__all__ = ["sentences"]

# Stops with what closes after them. Begins with one set of characters: 3 times as fast as alternatives.
_STOP = re.compile("[.!?…‽؟۔։。！？｡।॥]+(?:[ \u00a0\u202f]?[»›]|[\"'”’)\\]}」』）》])*")
_UNSPACED = frozenset("。！？｡।॥")  # end a sentence without a blank behind them
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«„–—/]*\Z")
_LONGEST_ABBREVIATION = 24
_NEXT = re.compile(r"\s+[(\[{\"'“‘«„–—-]*\s*(\w*)(\.?)")

# Never the last word of a sentence.
_NEVER_LAST = frozenset(
    "dr mr mrs ms mx prof st ste ft gen lt sgt capt cpt maj adm cmdr rev hon pres gov sen rep vs viz fig"
    " figs nos nr vol vols pp ch eds approx ca e.g i.e i.a q.v al dept univ assn jan feb mar apr jun jul"
    " aug sep sept oct nov dec bzw z.b d.h u.a s.o s.u vgl evtl ggf inkl bd abb usw mme mlle pág sra srta"
    " ud uds av núm тт тов гос ул пер пл кв им см ср стр рис табл гл напр т.е т.к т.н т.о оз пос дер обл"
    " р-н проф акад доц св чел экз изд ред сост англ нем фр лат греч исп итал рус букв млн млрд трлн".split()
)
# May be the last word: the next one decides.
_MAYBE_LAST = frozenset(
    "jr sr inc ltd co corp bros etc esq ph.d no col mt art op pt ed min sec hr str др пр гг вв тыс руб"
    " коп кг км мин сек ум род пос".split()
)
_LAST_BEFORE_CAPITAL = frozenset("etc др т.д т.п".split())
# d. h., z. B., т. е., J. R.: a capital behind them means nothing.
_PAIR = re.compile(r"(?<!\w)[^\W\d_]\. [^\W\d_]\Z")
_PAIR_LENGTH = 5
_PAIRS_THAT_END = frozenset(("т. д", "т. п", "н. э"))
# Capitalised words that seldom follow an abbreviation inside a sentence.
_STARTERS = frozenset(
    "The He She It They We You This That These Those In On At By For From As After Before When While With"
    " Without But And Or However Although There Here His Her Its Their Our If Since During Until Under"
    " Another Some Many Most All Both Such One Today Later Then Also A An Он Она Оно Они Мы Вы Это Эта"
    " Этот Эти В Во На По С Со К Ко У О Об От До Из За При Для После Перед Когда Если Но И А Также Однако"
    " Его Её Ее Их Там Здесь Затем Потом Позже Тогда Сегодня Der Die Das Er Sie Es Ein Eine Im Am Dies"
    " Diese Le La Les Il Elle El Los Las Un Una En".split()
)
_MONTHS = frozenset(  # behind a German ordinal
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Half-open spans in order, without overlap or white space at either end, that cover all else.

    A line break always ends a sentence. Quotes and brackets that close behind the stop belong to it.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        following = stop + 1
        for match in _STOP.finditer(text, start, stop):
            if _ends(text, start, stop, match):
                _append(spans, text, start, match.end())
                start = match.end()
        _append(spans, text, start, stop)
        start = following
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    bare = piece.strip()
    if bare:
        start += len(piece) - len(piece.lstrip())
        spans.append((start, start + len(bare)))


def _ends(text: str, start: int, stop: int, match: re.Match[str]) -> bool:
    """Whether the sentence that began at `start` ends with this match, in a line that ends at `stop`."""
    end = match.end()
    if text[match.start()] in _UNSPACED or end == stop:
        return True
    following = _NEXT.match(text, end, stop)
    if following is None or following[1][:1].islower():
        return False
    if match.group() != ".":
        return True
    starts = following[1] in _STARTERS and not following[2]
    return _may_end(text, start, match.start(), following[1], starts)


def _may_end(text: str, start: int, stop: int, following: str, starts: bool) -> bool:
    """Whether a full stop at `stop` is more than the mark of an abbreviation, an initial or an ordinal.

    `following` is the next word, `starts` whether it mostly begins a sentence.
    """
    before = _WORD_BEFORE.search(text, max(start, stop - _LONGEST_ABBREVIATION), stop)
    last = before.group().lower() if before else ""
    if last.isdigit():
        return last != text[start:stop].strip() and following not in _MONTHS
    if pair := _PAIR.search(text, max(start, stop - _PAIR_LENGTH), stop):
        return pair.group() in _PAIRS_THAT_END
    if (len(last) == 1 and last.isalpha()) or last in _MAYBE_LAST or "." in last[:-1]:
        return starts or last in _LAST_BEFORE_CAPITAL
    return last not in _NEVER_LAST
