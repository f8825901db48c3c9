"""Scores against BM25, coverage and trigram shares counted the plain way on small random corpora."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.engine import Engine
from aborist.query.matches import Read
from aborist.query.rank import PassageScore, Ranker, Scored
from aborist.query.terms import idf
from aborist.text import LEAD_TOKENS, Analyzer, fold, surfaces
from aborist.types import Ref
from tests import zims
from tests.query.conftest import Asking, Make, Site, asking, find

K1 = 1.2
# Forms that share stems, function words, joined and two-token words; few, so that every page matches some.
WORDS = """tea teas drink drinks drinking water waters the of is a kiln burner burners eastasia east asia asian
l'eau rock'n'roll mice mouse river rivers tower city cities 中国 café naive state-of-the-art""".split()
QUESTIONS = [
    "tea", "what is the tea of the kiln", "drinking water in cities", "mouse tower", "east asia river", "eastasia",
    "l'eau", "the burner of the river is a state-of-the-art tea drink", "中国 tea", "nowhere", "of the is",
]  # fmt: skip
UNJOINED = [text for text in QUESTIONS if "east asia" not in text]  # joined words count twice: see below


def page(rng: random.Random, number: int) -> zims.Page:
    def text(most: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))

    title = f"{rng.choice(WORDS)} {rng.choice(WORDS)} {number}"
    body = "".join(f"<p>{text(90)}.</p>" for _ in range(rng.randint(1, 4)))
    for _ in range(rng.randint(0, 3)):
        body += f"<h2>{text(3)}</h2>" + "".join(f"<p>{text(120)}.</p>" for _ in range(rng.randint(1, 3)))
    return zims.Page(f"p{number}", title, f"<html><body>{body}</body></html>")


@pytest.fixture(scope="module")
def corpus(make: Make) -> Engine:
    rng = random.Random(11)
    return Engine.open(make(Site([page(rng, n) for n in range(40)], name="random"), shard_count=2))


class Plain(NamedTuple):
    """One article as lists of tokens: (stem, exact form) pairs."""

    title: str
    heads: list[list[tuple[str, str]]]  # by passage: title and heading
    bodies: list[list[tuple[str, str]]]  # by passage

    @property
    def named(self) -> list[tuple[str, str]]:
        return self.heads[0][: len(self.heads[0])]


def tokens(analyzer: Analyzer, text: str) -> list[tuple[str, str]]:
    return [
        (stem, form)
        for surface in surfaces(text)
        for stem, form in zip(analyzer[surface].split(), fold(surface).split(), strict=True)
    ]


def plain(engine: Engine) -> dict[str, Plain]:
    found = {}
    for mounted in engine.mounted:
        for entry in mounted.shard.entries("1", {}):
            layout = mounted.shard.layout(entry.id)
            own = tokens(mounted.analyzer, entry.title)
            heads, bodies = [], []
            for span in layout.passages:
                heading = " ".join(layout.document.sections[span.section].heading)
                heads.append(own + tokens(mounted.analyzer, heading))
                bodies.append(tokens(mounted.analyzer, layout.document.text[span.start : span.end]))
            found[entry.title] = Plain(entry.title, heads, bodies)
    return found


def bm25(content: Sequence[str], documents: Sequence[Sequence[str]], own: Sequence[str], counted: Sequence[str],
         b: float) -> float:  # fmt: skip
    """Robertson and Zaragoza 2009, 3.15, over one document of a collection; `counted` gives the frequencies."""
    mean = sum(map(len, documents)) / len(documents)
    total = 0.0
    for stem in content:
        containing = sum(stem in document for document in documents)
        weight = math.log(1 + (len(documents) - containing + 0.5) / (containing + 0.5))
        tf = counted.count(stem)
        total += weight * tf * (K1 + 1) / (tf + K1 * (1 - b + b * len(own) / mean))
    return total


def ceiling(content: Sequence[str], documents: Sequence[Sequence[str]]) -> float:
    return sum(idf(sum(stem in d for d in documents), len(documents)) for stem in content) * (K1 + 1)


def stems(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [stem for stem, _ in pairs]


def score(asked: Asking, title: str, *, everything: bool = False, ranker: Ranker | None = None) -> Scored:
    candidate, entry, layout, matching = find(asked, title)
    read = range(len(layout.passages)) if everything else matching
    return (ranker or Ranker()).scores([Read(candidate, entry, layout, list(read))], asked.terms)[0]


@pytest.mark.parametrize("text", UNJOINED)
def test_passages_score_as_plain_bm25_with_their_title_and_heading(corpus: Engine, text: str) -> None:
    asked, articles = asking(corpus, text), plain(corpus)
    documents = [stems(h + b) for a in articles.values() for h, b in zip(a.heads, a.bodies, strict=True)]
    content = asked.terms.content
    for title, article in articles.items():
        for passage in score(asked, title, everything=True).passages:
            head, body = article.heads[passage.number], article.bodies[passage.number]
            own = stems(head + body)
            assert passage.bm25 == pytest.approx(bm25(content, documents, own, own, 0.75))
            # An exact form counts when it is one of the question's; title and heading count as they are.
            exact = stems(head) + [stem for stem, form in body if form in asked.terms.exact.get(stem, ())]
            assert passage.exact == pytest.approx(bm25(content, documents, own, exact, 0.75))


@pytest.mark.parametrize("text", UNJOINED)
def test_articles_and_leads_score_as_plain_bm25(corpus: Engine, text: str) -> None:
    asked, articles = asking(corpus, text), plain(corpus)
    content = asked.terms.content

    def whole(article: Plain) -> list[str]:
        return stems(tokens(corpus.mounted[0].analyzer, article.title)) + [s for b in article.bodies for s in stems(b)]

    def lead(article: Plain) -> list[str]:
        named = stems(tokens(corpus.mounted[0].analyzer, article.title))
        return whole(article)[: len(named) + LEAD_TOKENS]

    for feature, form in (("article", whole), ("lead", lead)):
        documents = [form(article) for article in articles.values()]
        most = ceiling(content, documents) or 1.0
        for title, article in articles.items():
            own = form(article)
            expected = bm25(content, documents, own, own, 0.3) / most
            assert score(asked, title).features[feature] == pytest.approx(expected), (feature, title)


@pytest.mark.parametrize("text", QUESTIONS)
def test_every_part_is_between_nothing_and_about_one(corpus: Engine, text: str) -> None:
    asked = asking(corpus, text)
    for title in plain(corpus):
        features = score(asked, title).features
        for part in ("exact", "article", "lead", "title", "window", "trigrams", "coverage"):
            assert 0 <= features[part] <= 1 + 1e-9, part
        assert 0 <= features["passages"] <= sum(Ranker().soft)


@pytest.mark.parametrize("text", QUESTIONS)
def test_reading_only_the_passages_that_match_gives_the_best_score_of_reading_all(corpus: Engine, text: str) -> None:
    asked = asking(corpus, text)
    for title in plain(corpus):
        some, every = score(asked, title), score(asked, title, everything=True)
        for part in ("exact", "article", "lead", "window", "trigrams", "coverage"):
            assert some.features[part] == pytest.approx(every.features[part]), part
        best = max((passage.bm25 for passage in every.passages), default=0.0)
        assert max((passage.bm25 for passage in some.passages), default=0.0) == pytest.approx(best)


@pytest.mark.parametrize("text", QUESTIONS)
def test_coverage_is_the_idf_share_of_the_stems_that_the_article_holds(corpus: Engine, text: str) -> None:
    asked, articles = asking(corpus, text), plain(corpus)
    total = sum(asked.terms.article_idf[stem] for stem in asked.terms.content)
    for title, article in articles.items():
        held = {
            *stems(tokens(corpus.mounted[0].analyzer, title)),
            *(s for body in article.bodies for s in stems(body)),
        }
        held |= {part for joined, pair in asked.terms.compounds.items() if joined in held for part in pair}
        share = sum(asked.terms.article_idf[stem] for stem in asked.terms.content if stem in held) / total
        assert score(asked, title).features["coverage"] == pytest.approx(share)


@pytest.mark.parametrize("text", QUESTIONS)
def test_the_trigram_share_counts_sequences_of_three_with_function_words(corpus: Engine, text: str) -> None:
    asked, articles = asking(corpus, text), plain(corpus)
    sequence = asked.terms.sequence
    wanted = {sequence[n : n + 3] for n in range(len(sequence) - 2)}
    for title, article in articles.items():
        found = {
            tuple(stems(body)[n : n + 3]) for body in article.bodies for n in range(len(body) - 2)
            if not set(stems(body)).isdisjoint(asked.terms.content)
        }  # fmt: skip
        expected = len(wanted & found) / len(wanted) if wanted else 0.0
        assert score(asked, title).features["trigrams"] == pytest.approx(expected)


@pytest.mark.parametrize("width", [1, 2, 5, 50])
@pytest.mark.parametrize("text", UNJOINED)
def test_the_best_window_is_that_of_trying_every_one_beside_title_and_heading(
    corpus: Engine, text: str, width: int
) -> None:
    asked, articles = asking(corpus, text), plain(corpus)
    ranker = Ranker(window_tokens=width)
    for title, article in articles.items():
        windows = [
            stems(head + body[n : n + width])
            for head, body in zip(article.heads, article.bodies, strict=True) for n in range(len(body))
        ]  # fmt: skip
        expected = max((asked.terms.weight(window) for window in windows), default=0.0)
        assert score(asked, title, ranker=ranker).features["window"] == pytest.approx(expected)


# -- words written together ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def joined(make: Make) -> Engine:
    pages = (
        zims.page("One", "The harbour of Eastasia was closed."),
        zims.page("Two", "The harbour of the south was closed."),
        zims.page("Three", "The harbour of east asia was closed."),
        zims.page("Four", "Something else stands here."),
    )
    return Engine.open(make(Site(pages, name="joined")))


def test_two_words_that_the_index_writes_as_one_count_as_both(joined: Engine) -> None:
    asked = asking(joined, "harbour east asia")
    together, apart, without = (score(asked, title).features for title in ("One", "Three", "Two"))
    assert together["coverage"] == pytest.approx(1.0)
    assert together["window"] == pytest.approx(apart["window"])
    assert together["passages"] > without["passages"]


def test_a_joined_pair_that_stands_nowhere_is_no_term(joined: Engine) -> None:
    assert asking(joined, "harbour south").terms.compounds == {}


# -- passages --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", QUESTIONS)
def test_passages_come_best_first_and_each_once(corpus: Engine, text: str) -> None:
    asked = asking(corpus, text)
    for title in plain(corpus):
        passages = score(asked, title).passages
        assert list(passages) == sorted(passages, key=lambda p: (-p.bm25, p.number))
        assert len({passage.number for passage in passages}) == len(passages)


def test_an_article_without_text_is_scored_by_its_title(library: Engine) -> None:
    asked = asking(library, "what is Blank")
    scored = score(asked, "Blank")
    assert scored.features["window"] == 0
    assert all(isinstance(passage, PassageScore) for passage in scored.passages)


def test_counts_do_not_leak_from_one_passage_to_the_next(corpus: Engine) -> None:
    asked = asking(corpus, "tea")
    title = next(iter(plain(corpus)))
    assert score(asked, title) == score(asked, title)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_idf_is_never_negative_and_falls_with_frequency(containing: int, more: int) -> None:
    count = containing + more
    assert idf(containing, count) >= 0
    assert idf(containing, count) >= idf(min(count, containing + 1), count)


def test_a_stem_seen_more_often_scores_higher_and_a_longer_text_lower(make: Make) -> None:
    filler = "some other words that say nothing of it at all " * 3
    pages = [zims.page("Once", f"tea {filler}"), zims.page("Twice", f"tea tea {filler}"),
             zims.page("Long", f"tea {filler * 2}"), zims.page("None", filler)]  # fmt: skip
    engine = Engine.open(make(Site(pages, name="plain")))
    asked = asking(engine, "tea")
    once, twice, long, none = (score(asked, title).features["passages"] for title in ("Once", "Twice", "Long", "None"))
    assert twice > once > long > none == 0


def test_refs_name_shard_and_article(corpus: Engine) -> None:
    asked = asking(corpus, "tea")
    refs = {find(asked, title)[0].ref for title in plain(corpus)}
    assert len(refs) == 40
    assert all(isinstance(ref, Ref) for ref in refs)


def test_terms_count_documents_over_all_shards(corpus: Engine) -> None:
    articles = plain(corpus)
    asked = asking(corpus, "tea drinking 中国 mouse the")
    counted: Counter[str] = Counter()
    for article in articles.values():
        counted.update({s for h, b in zip(article.heads, article.bodies, strict=True) for s in stems(h[:0] + b)}
                       | set(stems(tokens(corpus.mounted[0].analyzer, article.title))))  # fmt: skip
    for stem in asked.terms.sequence:
        assert asked.terms.frequency(stem).articles == counted[stem]


# -- words derived from one another, in Russian ----------------------------------------------------------------------

RUSSIAN = [
    zims.page("Ларин", "Банкир Ларин финансировал проект. Проект финансировал и Гринёв. " + "Погода была сухой. " * 9),
    zims.page("Гринёв", "Проект назвали его именем. Финансирования проект не получил. Финансировал Ларин. " * 2),
    zims.page("Погода", "Погода была сухой, и проект забыли. " * 5),
    zims.page("Восстановление", "После пожара мост ждал восстановления двенадцать лет. " * 3),
]


@pytest.fixture(scope="module")
def derived(make: Make) -> Engine:
    return Engine.open(make(Site(RUSSIAN, language="rus", name="derived")))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_word_of_the_same_derivation_counts_as_a_share_of_an_occurrence(derived: Engine, share: float) -> None:
    asked, articles = asking(derived, "кто финансировал проект"), plain(derived)
    documents = [stems(h + b) for a in articles.values() for h, b in zip(a.heads, a.bodies, strict=True)]
    article = articles["Гринёв"]
    own = stems(article.heads[0] + article.bodies[0])
    count = {"финансирова": own.count("финансирова") + share * own.count("финансирован"), "проект": own.count("проект")}
    assert own.count("финансирован") == 2
    relative = len(own) / (sum(map(len, documents)) / len(documents))
    expected = 0.0
    for stem, tf in count.items():
        weight = idf(sum(stem in document for document in documents), len(documents))
        expected += weight * tf * (K1 + 1) / (tf + K1 * (0.25 + 0.75 * relative))
    (passage,) = score(asked, "Гринёв", ranker=Ranker(kin=share)).passages
    assert passage.bm25 == pytest.approx(expected)


def test_the_exact_form_beats_one_derived_from_it_and_that_beats_none(make: Make) -> None:
    words = {"Первый": "восстановил", "Второй": "о восстановлении", "Третий": "не покрасил"}
    pages = [zims.page(title, f"Комитет {word} мост. {'Погода была сухой. ' * 4}") for title, word in words.items()]
    asked = asking(Engine.open(make(Site(pages, language="rus", name="forms"))), "какой комитет восстановил мост")
    first, second, third = (score(asked, title) for title in words)
    assert first.score > second.score > third.score
    assert first.features["coverage"] == pytest.approx(second.features["coverage"]) == 1.0
    assert first.features["exact"] > second.features["exact"] == pytest.approx(third.features["exact"])


def test_a_word_that_stands_nowhere_is_sought_by_those_derived_as_it_is(derived: Engine) -> None:
    titles = [result.title for result in derived.ask("восстанови").results]
    assert titles == ["Восстановление"]
    assert not derived.ask("перекрасили").results
