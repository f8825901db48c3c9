"""What each question scored, and from that rows of figures: by set, by group, by category, and the macro."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import ir_measures
from ir_measures import RR, Success, nDCG

from bench import trec
from bench.fixed import EVIDENCE_DEPTH
from bench.groups import GROUPS, group_of, macro
from bench.metrics import gate, holds_answer, mean, percentile
from bench.questions import Question
from bench.systems import Outcome

__all__ = ["BREAKDOWNS", "MEASURES", "Asked", "Row", "Scored", "breakdown", "route_times", "row", "scored", "summary"]

# The ranking measures, all computed by ir-measures from run and qrels.
MEASURES = {"hit1": Success @ 1, "hit5": Success @ 5, "mrr10": RR @ 10, "ndcg10": nDCG @ 10}


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question
    outcome: Outcome
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Scored:
    """One question's figures; None where a system, or the question, has nothing to say about one.

    `rank` is that of the first right title among those listed; the ranking measures are None for a question without
    gold or without an answer in the archive. `answer5`: an answer string is in the first five passages of evidence;
    `section5`: in one of them that is from a right article.
    """

    topic: str
    set: str
    group: str
    category: str
    answerable: bool | None
    rank: int | None
    hit1: float | None
    hit5: float | None
    mrr10: float | None
    ndcg10: float | None
    answered: bool | None
    confidence: str | None
    probability: float | None
    answer5: bool | None
    section5: bool | None
    cpu_ms: float


BREAKDOWNS: Mapping[str, Callable[[Scored], str]] = {
    "set": lambda one: one.set,
    "group": lambda one: one.group,
    "category": lambda one: one.category,
}


@dataclass(frozen=True, slots=True)
class Row:
    """The figures over some questions, as shares of 1; None where there was nothing to measure.

    The ranking measures are means over the answerable questions with gold, `scored` of them.
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


def scored(asked: Sequence[Asked]) -> list[Scored]:
    """The figures of each question, in order. :raises QuestionFileError: two questions of one set share an id."""
    names = trec.topics([one.question for one in asked])
    listed = (d for name, one in zip(names, asked, strict=True) for d in trec.run(name, one.outcome.titles))
    measured = _measured(list(trec.qrels(one.question for one in asked)), listed)
    return [_scored(name, one, measured.get(name)) for name, one in zip(names, asked, strict=True)]


def _measured(qrels: Sequence[ir_measures.Qrel], run: Iterable[ir_measures.ScoredDoc]) -> dict[str, dict[str, float]]:
    """topic -> measure -> value, for every topic of the qrels; ir-measures is silent on one with an empty list: 0."""
    found = {qrel.query_id: dict.fromkeys(MEASURES, 0.0) for qrel in qrels}
    names = {measure: name for name, measure in MEASURES.items()}
    run = list(run)
    if found and run:
        for metric in ir_measures.iter_calc(list(names), qrels, run):
            if metric.query_id in found:
                found[metric.query_id][names[metric.measure]] = metric.value
    return found


def _scored(name: str, asked: Asked, measured: Mapping[str, float] | None) -> Scored:
    question, outcome = asked.question, asked.outcome
    quoted = measured is not None and question.answers and outcome.evidence is not None
    return Scored(
        topic=name,
        set=question.set,
        group=group_of(question.set),
        category=question.category,
        answerable=question.answerable,
        rank=next((rank for rank, title in enumerate(outcome.titles, 1) if title in question.gold), None),
        **{measure: measured[measure] if measured else None for measure in MEASURES},
        answered=None if outcome.refused is None else not outcome.refused,
        confidence=outcome.confidence,
        probability=outcome.probability,
        answer5=_answer_in_evidence(asked, any_article=True) if quoted else None,
        section5=_answer_in_evidence(asked, any_article=False) if quoted else None,
        cpu_ms=asked.cpu_ms,
    )


def _answer_in_evidence(asked: Asked, *, any_article: bool) -> bool:
    question, passages = asked.question, (asked.outcome.evidence or ())[:EVIDENCE_DEPTH]
    return any(
        holds_answer(passage.quote, question.answers)
        for passage in passages
        if any_article or passage.title in question.gold
    )


def row(found: Sequence[Scored]) -> Row:
    judged = [one for one in found if one.answerable is not None and one.answered is not None]
    refusals = gate([not one.answered for one in judged], [bool(one.answerable) for one in judged])
    times = [one.cpu_ms for one in found]
    return Row(
        n=len(found),
        scored=sum(one.hit1 is not None for one in found),
        hit1=_mean_of("hit1", found),
        hit5=_mean_of("hit5", found),
        mrr10=_mean_of("mrr10", found),
        ndcg10=_mean_of("ndcg10", found),
        answer5=_mean_of("answer5", found),
        section5=_mean_of("section5", found),
        gate_precision=refusals.precision,
        gate_recall=refusals.recall,
        cpu_ms_p50=percentile(times, 50),
        cpu_ms_p95=percentile(times, 95),
    )


def _mean_of(measure: str, found: Iterable[Scored]) -> float | None:
    values = (getattr(one, measure) for one in found)
    return mean(value for value in values if value is not None)


def breakdown(found: Iterable[Scored], by: str) -> dict[str, Row]:
    """One row for each value of `by` (a key of `BREAKDOWNS`): the eight groups first, then as they came."""
    parts: dict[str, list[Scored]] = defaultdict(list)
    for one in found:
        parts[BREAKDOWNS[by](one)].append(one)
    order = [group for group in GROUPS if group in parts]
    order += [name for name in parts if name not in GROUPS]
    return {name: row(parts[name]) for name in order}


def macro_row(groups: Mapping[str, Row]) -> dict[str, float | None]:
    """The macro mean of each ranking measure over those of the eight groups that were scored."""
    found = {}
    for measure in MEASURES:
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


def summary(found: Sequence[Scored]) -> dict[str, Any]:
    """Everything about one system, ready for JSON; the routes' times are the caller's to add."""
    groups = breakdown(found, "group")
    return {
        **{f"by_{by}": {name: asdict(r) for name, r in breakdown(found, by).items()} for by in BREAKDOWNS},
        "all": asdict(row(found)),
        "macro": macro_row(groups),
    }
