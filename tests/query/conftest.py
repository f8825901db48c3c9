"""A made-up encyclopedia of some 200 pages, cut to 1, 2 and 7 shards, and small indexes for single routes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from aborist import build
from aborist.engine import Engine
from aborist.query.question import parse
from aborist.query.routes import FALLBACKS, Fallback
from aborist.query.terms import Collection, Level, Terms, joined_stems, word_stems
from aborist.shard.read import Entry, Frequency, Layout, Shard
from aborist.text import match_any
from aborist.types import Candidate, Hit, Question, Ref
from tests import zims


class _Quiet:
    def stage(self, archive: str, name: str) -> None: ...
    def start(self, archive: str, articles: int) -> None: ...
    def advance(self, archive: str, articles: int) -> None: ...


class Site(NamedTuple):
    """What goes into one archive."""

    pages: Sequence[zims.Page]
    redirects: Sequence[tuple[str, str, str]] = ()
    language: str = "eng"
    name: str = "site"


Make = Callable[..., Path]


def make_index(folder: Path, *sites: Site, shard_count: int | None = None) -> Path:
    """Write the sites' archives into `folder` and index them; returns the folder of the index."""
    for site in sites:
        metadata = {"Title": site.name, "Language": site.language, "Name": site.name}
        file = zims.build(
            folder / f"{site.name}.zim", site.pages, site.redirects, metadata=metadata, cluster_bytes=2_000
        )
        (report,) = build.index([file], folder / "shards", progress=_Quiet(), shard_count=shard_count)
        assert report.status == "indexed", report
    return folder / "shards"


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Builds an index of sites in a folder of its own."""

    def made(*sites: Site, shard_count: int | None = None) -> Path:
        return make_index(tmp_path_factory.mktemp("index"), *sites, shard_count=shard_count)

    return made


def apart(pages: Sequence[zims.Page]) -> list[zims.Page]:
    """The pages, each large enough for a cluster of its own: shards are dealt whole clusters."""
    return [page._replace(content=f"{page.content!s}<!-- {'-' * 4_000} -->") if page.mime == "text/html" else page
            for page in pages]  # fmt: skip


# -- one question seen by one shard ----------------------------------------------------------------------------------


class Asking(NamedTuple):
    """A question against an open index, as routes and ranker see it. For one analyzer."""

    engine: Engine
    question: Question
    terms: Terms

    @property
    def shards(self) -> Iterator[tuple[int, Shard]]:
        return ((number, mounted.shard) for number, mounted in enumerate(self.engine.mounted))

    def hits(self, route: str) -> list[tuple[str, Hit]]:
        """(title, hit) of everything a route's probes give, or its fallback's if nothing; the best first."""
        found: list[tuple[str, Hit]] = []
        tried = [Fallback(self.engine.routes[route], math.inf), *FALLBACKS.get(route, ())]
        for one in tried:
            if max((hit.score for _, hit in found), default=0.0) < one.below:
                probe = one.route.prepare(self.question, self.terms)
                found += [(shard.entry(h.ref.article).title, h) for n, shard in self.shards for h in probe(shard, n)]
        return sorted(found, key=lambda pair: -pair[1].score)

    def titles(self, route: str) -> list[str]:
        """The titles a route finds, each once, the best first."""
        return list(dict.fromkeys(title for title, _ in self.hits(route)))


def asking(engine: Engine, text: str) -> Asking:
    """The question in the analyzer of an index of one language, with statistics counted over all its shards."""
    question = parse(text, languages={mounted.analyzer.language for mounted in engine.mounted})
    analyzer = engine.mounted[0].analyzer
    assert {mounted.analyzer.name for mounted in engine.mounted} == {analyzer.name}
    files = [
        file
        for manifest in {m.manifest.archive: m.manifest for m in engine.mounted}.values()
        for file in manifest.shards
    ]
    articles, passages = sum(file.articles for file in files), sum(file.passages for file in files)
    collection = Collection(
        analyzer,
        Level(articles, sum(file.article_tokens for file in files) / articles),
        Level(articles, sum(file.lead_tokens for file in files) / articles),
        Level(passages, sum(file.passage_tokens for file in files) / passages),
    )
    stems = [stem for _, stem, _ in word_stems(question, analyzer)]
    frequencies: dict[str, Frequency] = {}
    for mounted in engine.mounted:
        for stem, own in mounted.shard.frequencies({*stems, *joined_stems(stems, analyzer)}).items():
            known = frequencies.get(stem, Frequency(0, 0, 0))
            frequencies[stem] = Frequency(*(a + b for a, b in zip(known, own, strict=True)))
    return Asking(engine, question, Terms(question, collection, frequencies))


def find(asked: Asking, title: str) -> tuple[Candidate, Entry, Layout, list[int]]:
    """The article of this title as the ranker is given it: without hits, with the numbers of matching passages."""
    expression = match_any((*asked.terms.content, *asked.terms.compounds))
    for number, shard in asked.shards:
        for entry in shard.entries("title = :title", {"title": title}):
            layout = shard.layout(entry.id)
            return Candidate(Ref(number, entry.id), 0.0, {}), entry, layout, shard.matching(entry, expression)
    raise LookupError(title)


# -- the made-up encyclopedia ----------------------------------------------------------------------------------------

_SYLLABLES = "bra dor fen gil har kel lom mur nar os pel quor ras sel tor und vel wex yar zol".split()
_NOUNS = """bridge harbour engine kiln tower valley river castle orchard lantern compass mill canal
glacier forest festival treaty battle parliament comet violin recipe beetle falcon mineral alloy alphabet calendar
market railway""".split()
_VERBS = "was built by|was painted by|belongs to|was named after|stands beside|was described by".split("|")
_PLACES = "in the north|on the coast|near the border|under the old town|beyond the lake|at the market square".split("|")
ENCYCLOPEDIA_PAGES = 200
ENCYCLOPEDIA_QUESTIONS = 50


def _name(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 3))).capitalize()


def encyclopedia(seed: int = 7) -> tuple[Site, list[tuple[str, str]]]:
    """Pages about made-up things that mention each other, and (question, title) pairs about them."""
    rng = random.Random(seed)
    names = sorted({_name(rng) for _ in range(3 * ENCYCLOPEDIA_PAGES)})
    rng.shuffle(names)
    things = [(f"{name} {rng.choice(_NOUNS)}", rng.choice(names)) for name in names[:ENCYCLOPEDIA_PAGES]]
    pages, questions = [], []
    for number, (thing, person) in enumerate(things):
        verb, place = rng.choice(_VERBS), rng.choice(_PLACES)
        body = [f"<p>The {thing} is a {thing.split()[1]} {place}. It {verb} {person}.</p>"]
        for _ in range(rng.randint(0, 4)):
            other, _ = rng.choice(things)
            heading = rng.choice(["History", "Use", "Legend", "Today"])
            year = rng.randint(1200, 1990)
            words = " ".join(rng.choice(_NOUNS) for _ in range(rng.randint(8, 60)))
            body.append(
                f"<h2>{heading}</h2><p>In {year} the {other} was moved there from {_name(rng)}. Of {words}.</p>"
            )
        pages.append(zims.Page(thing.replace(" ", "_"), thing, f"<html><body>{''.join(body)}</body></html>"))
        kind = number % 5
        if kind == 0:
            questions.append((f"what is the {thing}", thing))
        elif kind == 1:
            questions.append((f"which {thing.split()[1]} {verb} {person}", thing))
        elif kind == 2:
            questions.append((f'who said "the {thing} is a {thing.split()[1]} {place}"', thing))
        elif kind == 3:
            questions.append((f"{thing.split()[0]} {place}", thing))
        else:
            questions.append((f"{rng.choice(_NOUNS)} {rng.choice(_NOUNS)} {thing.split()[0]} in the year", thing))
    redirects = [
        (f"The_{thing.split()[0]}", f"The {thing.split()[0]}", thing.replace(" ", "_")) for thing, _ in things[:40]
    ]
    return Site(pages, redirects, name="encyclopedia"), questions[:ENCYCLOPEDIA_QUESTIONS]


@pytest.fixture(scope="session")
def cut(make: Make) -> dict[int, Engine]:
    """The same encyclopedia in 1, 2 and 7 shards, open."""
    site, _ = encyclopedia()
    engines = {count: Engine.open(make(site, shard_count=count)) for count in (1, 2, 7)}
    assert {count: len(engine.mounted) for count, engine in engines.items()} == {1: 1, 2: 2, 7: 7}
    return engines


# -- a few pages for single routes -----------------------------------------------------------------------------------

_ORWELL = """<html><body><h1>Nineteen Eighty-Four</h1>
<p>Nineteen Eighty-Four is a dystopian novel by the English writer George Orwell, published in 1949.</p>
<h2>Plot</h2><p>Winston Smith lives in Airstrip One. The Party says that Oceania has always been at war
with Eastasia, though Winston remembers otherwise. He keeps a forbidden diary.</p></body></html>"""
LIBRARY = Site(
    (
        zims.Page("Nineteen_Eighty-Four", "Nineteen Eighty-Four", _ORWELL),
        zims.page("Oceania", "Oceania is a region of the world that includes Australasia, Melanesia and Polynesia."),
        zims.page("East Asia", "East Asia is the eastern region of Asia. China, Japan and Korea lie there."),
        zims.page("Tea", "Tea is an aromatic drink prepared by pouring hot water over cured leaves of the tea plant."),
        zims.page("Coffee", "Coffee is a drink brewed from roasted beans. It was first drunk in Yemen."),
        zims.page("Brask, Teodor", "Teodor Brask was a geologist who proposed that the plates drift."),
        zims.page("Drift of the plates", "The drift of the plates explains why mountains rise."),
        zims.page("Große Dornische Mauer", "The wall was raised by the people of Dorn against floods."),
        zims.page("Dorn", "Dorn is a small town with a market."),
        zims.page("Dorn (river)", "The river passes three villages on its way."),
        zims.page("C", "C is a letter and the name of a programming language."),
        zims.page("C++", "C++ is a programming language created as an extension of another one."),
        zims.page("C#", "C# is a programming language by a large company."),
        zims.page("R2-D2", "R2-D2 is a small robot with a dome."),
        zims.page("R&D", "R&D is work that seeks new products."),
        zims.page("R (letter)", "R is a letter of the alphabet."),
        zims.page("Quill", "Quill may refer to: a feather, a pen, a family name."),
        zims.page("Quill (pen)", "A quill is a pen made from a flight feather of a large bird."),
        zims.page("Ferdan Quill", "Ferdan Quill campaigned for the emancipation of people in bonded labour."),
        zims.page("Kestrel Valley International Airport", "The airport serves the valley with two runways."),
        zims.page("Kitty", "Kitty is a pet name for a cat."),
        zims.page("Hello Kitty", "The character was designed in 1974 and wears a bow."),
        zims.page("Brannock kiln", "The Brannock kiln is a tall brick oven. A state-of-the-art burner keeps the heat"
                                   " even, and no chimney is needed because smoke is burnt twice."),
        zims.page("Chimney", "A chimney is an upright shaft that carries smoke from a hearth."),
        zims.page("TCP协议", "TCP协议是一种传输层通信协议。"),
        zims.page("Proverbs", "They say that a rolling stone gathers no moss on its way down the steep hill."),
        zims.Page("manual.pdf", "Field manual", b"%PDF-1.4", "application/pdf"),
        zims.Page("Blank", "Blank", "<html><body></body></html>"),
    ),
    (
        ("KVA", "KVA", "Kestrel_Valley_International_Airport"),
        ("Brasks_theory", "Brask's theory", "Drift_of_the_plates"),
        ("Chai", "Chai", "Tea"),
    ),
    name="library",
)  # fmt: skip


@pytest.fixture(scope="session")
def library_shards(make: Make) -> Path:
    return make(LIBRARY)


@pytest.fixture(scope="session")
def library(library_shards: Path) -> Engine:
    return Engine.open(library_shards)


RUSSIAN = Site(
    (
        zims.page("Париж", "Париж — столица Франции. Город стоит на реке Сене, в нём живут два миллиона человек."),
        zims.page("TCP", "TCP — протокол передачи данных. Он следит за тем, чтобы пакеты пришли по порядку."),
        zims.page("Война и мир", "«Война и мир» — роман-эпопея Льва Толстого о войне 1812 года."),
        zims.page("Ёж", "Ёж — млекопитающее с иглами. Ежи едят насекомых и впадают в спячку."),
        zims.page("Йод", "Йод — химический элемент, неметалл тёмного цвета."),
        zims.page("Декарт", "Рене Декарт — философ. Его слова: «Я мыслю, следовательно, я существую»."),
    ),
    (("Столица_Франции", "Столица Франции", "Париж"),),
    language="rus",
    name="russian",
)


@pytest.fixture(scope="session")
def russian(make: Make) -> Engine:
    return Engine.open(make(RUSSIAN))
