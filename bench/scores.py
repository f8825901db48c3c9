"""From asked questions to rows of figures: by set, by group, by category, and the macro over the groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.groups import GROUPS, group_of, macro
from bench.metrics import gate, hit, holds_answer, mean, ndcg, percentile, reciprocal_rank
from bench.questions import Question
from bench.systems import Outcome

__all__ = ["BREAKDOWNS", "Asked", "Row", "breakdown", "route_times", "row", "summary"]

BREAKDOWNS: Mapping[str, Callable[[Question], str]] = {
    "set": lambda question: question.set,
    "group": lambda question: group_of(question.set),
    "category": lambda question: question.category,
}
MACRO_MEASURES = ("hit1", "hit5", "mrr10", "ndcg10")
EVIDENCE_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question
    outcome: Outcome
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Row:
    """The figures over some questions, as shares of 1; None where there was nothing to measure.

    `hit*`, `mrr10`, `ndcg10` are over the answerable questions with gold. `answer5`: an answer string is in
    the first five passages of evidence; `section5`: in one of them that is from a right article.
    """

    n: int
    scored: int
    hit1: float | None
    hit5: float | None
    mrr10: float | None
    ndcg10: float | None
    answer5: float | None
    section5: float | None
    gate_precision: float | None
    gate_recall: float | None
    cpu_ms_p50: float | None
    cpu_ms_p95: float | None


def row(asked: Sequence[Asked]) -> Row:
    scored = [a for a in asked if a.question.answerable and a.question.gold]
    judged = [a for a in asked if a.question.answerable is not None and a.outcome.refused is not None]
    refusals = gate([bool(a.outcome.refused) for a in judged], [bool(a.question.answerable) for a in judged])
    with_answer = [a for a in scored if a.question.answers and a.outcome.evidence is not None]
    times = [a.cpu_ms for a in asked]
    return Row(
        n=len(asked),
        scored=len(scored),
        hit1=mean(hit(a.outcome.titles, a.question.gold, 1) for a in scored),
        hit5=mean(hit(a.outcome.titles, a.question.gold, 5) for a in scored),
        mrr10=mean(reciprocal_rank(a.outcome.titles, a.question.gold) for a in scored),
        ndcg10=mean(ndcg(a.outcome.titles, a.question.gold) for a in scored),
        answer5=mean(_answer_in_evidence(a, any_article=True) for a in with_answer),
        section5=mean(_answer_in_evidence(a, any_article=False) for a in with_answer),
        gate_precision=refusals.precision,
        gate_recall=refusals.recall,
        cpu_ms_p50=percentile(times, 50),
        cpu_ms_p95=percentile(times, 95),
    )


def _answer_in_evidence(asked: Asked, *, any_article: bool) -> bool:
    question, passages = asked.question, (asked.outcome.evidence or ())[:EVIDENCE_DEPTH]
    return any(
        holds_answer(passage.quote, question.answers)
        for passage in passages
        if any_article or passage.title in question.gold
    )


def breakdown(asked: Iterable[Asked], by: str) -> dict[str, Row]:
    """One row for each value of `by` (a key of `BREAKDOWNS`): the eight groups first, then as they came."""
    parts: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        parts[BREAKDOWNS[by](one.question)].append(one)
    order = [group for group in GROUPS if group in parts]
    order += [name for name in parts if name not in GROUPS]
    return {name: row(parts[name]) for name in order}


def macro_row(groups: Mapping[str, Row]) -> dict[str, float | None]:
    """The macro mean of each ranking measure over those of the eight groups that were scored."""
    found = {}
    for measure in MACRO_MEASURES:
        values = {name: getattr(r, measure) for name, r in groups.items()}
        found[measure] = macro({name: value for name, value in values.items() if value is not None})
    return found


def route_times(asked: Iterable[Asked]) -> dict[str, dict[str, float | None]]:
    """p50 and p95 of the milliseconds each route says it took."""
    times: dict[str, list[float]] = defaultdict(list)
    for one in asked:
        for name, milliseconds in one.outcome.route_ms.items():
            times[name].append(milliseconds)
    return {name: {"p50": percentile(ms, 50), "p95": percentile(ms, 95)} for name, ms in times.items()}


def summary(asked: Sequence[Asked]) -> dict[str, Any]:
    """Everything about one system, ready for JSON."""
    found: dict[str, Any] = {
        f"by_{by}": {name: asdict(r) for name, r in breakdown(asked, by).items()} for by in BREAKDOWNS
    }
    found["all"] = asdict(row(asked))
    found["macro"] = macro_row(breakdown(asked, "group"))
    found["route_ms"] = route_times(asked)
    return found
