"""The ways of finding. Adding one: a module with a frozen dataclass of its knobs and `prepare`, and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aborist.query.routes.body import Body
from aborist.query.routes.core import Core
from aborist.query.routes.misquote import Across, Misquote
from aborist.query.routes.phrase import WHOLE_SCORE, Phrase
from aborist.query.routes.route import Route
from aborist.query.routes.title import Title
from aborist.query.routes.title_like import TitleLike

__all__ = ["FALLBACKS", "ROUTES", "Fallback"]

ROUTES: Mapping[str, Route] = {
    "title": Title(),
    "title-like": TitleLike(),
    "core": Core(),
    "body": Body(),
    "phrase": Phrase(),
}


class Fallback(NamedTuple):
    """What a route tries next, under its own name, when its best hit on all shards scores less."""

    route: Route
    below: float


FALLBACKS: Mapping[str, Sequence[Fallback]] = {
    "phrase": (Fallback(Across(), WHOLE_SCORE), Fallback(Misquote(), WHOLE_SCORE)),
}
