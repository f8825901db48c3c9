"""The ways of finding. Adding one: a module with a frozen dataclass of its knobs and `prepare`, and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from aborist.query.routes.body import Body
from aborist.query.routes.core import Core
from aborist.query.routes.phrase import Misquote, Phrase
from aborist.query.routes.route import Route
from aborist.query.routes.title import Title
from aborist.query.routes.title_like import TitleLike

__all__ = ["FALLBACKS", "ROUTES"]

ROUTES: Mapping[str, Route] = {
    "title": Title(),
    "title-like": TitleLike(),
    "core": Core(),
    "body": Body(),
    "phrase": Phrase(),
}
# What a route tries, under its own name, when it found nothing on any shard.
FALLBACKS: Mapping[str, Route] = {"phrase": Misquote()}
