"""The reply object and its parts: the one form in which the command line, HTTP and MCP answer."""

from __future__ import annotations

from typing import Any

from aborist.errors import UsageError
from aborist.library import Found, section_at
from aborist.query.routes import ROUTES
from aborist.query.routes.phrase import is_misquote
from aborist.types import NO_VECTORS, Answer, Evidence, Hit, Result

__all__ = ["article_item", "evidence_item", "explanation", "passage_item", "reply"]

ROUTE_NAMES = (*ROUTES, "dense")  # vectors are not there yet, and every reply says so


def reply(answer: Answer) -> dict[str, Any]:
    """The reply as plain JSON values; key order is the contract's."""
    return {
        "question": answer.question.asked,
        "status": "answered" if answer.answered else "no_answer",
        "reason": None if answer.answered else answer.reason,
        "answer": _answer(answer),
        "frame": {"kind": answer.frame.kind, "work": answer.frame.work},
        "results": [_result(rank, result) for rank, result in enumerate(answer.results, 1)],
        "evidence": [evidence_item(item) for item in answer.evidence],
        "coverage": {
            "sectionCount": answer.coverage.sections,
            "distinctPageCount": answer.coverage.pages,
            "topSimilarity": -1,
            "confidence": answer.coverage.confidence,
            "missingTerms": list(answer.coverage.missing),
            "shardsAnswered": answer.coverage.shards_answered,
            "shardsTotal": answer.coverage.shards_total,
        },
        "routes": _routes(answer),
        "timings": {"total_ms": round(answer.total_ms, 1)},
        "warnings": list(answer.warnings),
    }


def _answer(answer: Answer) -> dict[str, Any] | None:
    """Extractive: the highlighted sentences of the best evidence; being quoted, each is supported."""
    if not answer.answered or not answer.evidence:
        return None
    best = answer.evidence[0]
    sentences = [
        {"text": best.quote[start - best.start : end - best.start], "evidence": [best.id]}
        for start, end in best.highlights
    ]
    return {"sentences": sentences, "label": "STRICT", "supported": len(sentences), "claims": len(sentences)}


def _result(rank: int, result: Result) -> dict[str, Any]:
    return {
        "rank": rank,
        "title": result.title,
        "path": result.path,
        "archive": result.archive,
        "root": result.root.hex(),
        "score": round(result.score, 4),
        "url": result.url,
        "accepted_by": result.verdict.rule if result.verdict.accepted else None,
        "role": result.role.name,
        "routes": {route: _hit(hit) for route, hit in result.hits.items()},
    }


def _hit(hit: Hit) -> dict[str, Any]:
    changed = " (one word changed)" if is_misquote(hit) else ""
    matched = [f"{text}{changed}" if place == 0 else text for place, text in enumerate(hit.matched)]
    return {"rank": hit.rank, "score": round(hit.score, 4), "matched": matched}


def evidence_item(item: Evidence) -> dict[str, Any]:
    """One evidence item; `check-citation` reads exactly this."""
    return {
        "id": item.id,
        "root": item.root.hex(),
        "title": item.title,
        "archive": item.archive,
        "path": item.path,
        "heading": list(item.heading),
        "quote": item.quote,
        "start": item.start,
        "end": item.end,
        "highlights": [list(span) for span in item.highlights],
        "url": item.url,
    }


def _routes(answer: Answer) -> dict[str, Any]:
    ran = {ranking.route: ranking for ranking in answer.rankings}
    states = {}
    for name in dict.fromkeys((*ROUTE_NAMES, *ran)):
        if ranking := ran.get(name):
            states[name] = {"hits": len(ranking.hits), "ms": round(ranking.ms, 2), "state": ranking.state}
        else:
            state = NO_VECTORS if name == "dense" else "off: not asked"
            states[name] = {"hits": 0, "ms": 0, "state": state}
    return states


def explanation(answer: Answer) -> dict[str, Any]:
    """What --explain adds: how the question was read, each candidate's features and verdict, the rejected."""
    question = answer.question
    return {
        "topics": list(question.topics),
        "content": [word.folded for word in question.words if word.content],
        "quotes": list(question.quotes),
        "saying": question.saying,
        "asks": question.asks,
        "probability": round(answer.coverage.probability, 4),
        "frame": {"kind": answer.frame.kind, "rule": answer.frame.rule, "why": answer.frame.why},
        "results": [
            {
                "title": result.title,
                "score": round(result.score, 4),
                "rule": result.verdict.rule or None,
                "why": result.verdict.why,
                "role": {"name": result.role.name, "rule": result.role.rule, "why": result.role.why},
                "routes": list(result.hits),
                "features": {name: round(value, 4) for name, value in result.features.items()},
            }
            for result in answer.results
        ],
        "rejected": [
            {"title": result.title, "why": result.verdict.why}
            for result in answer.results
            if not result.verdict.accepted
        ],
    }


def article_item(found: Found) -> dict[str, Any]:
    """An article as `article --json` gives it; `text` is what all offsets index. Raises DamagedShard."""
    document = found.document()
    return {
        "title": found.entry.title,
        "path": found.entry.path,
        "archive": found.archive,
        "root": found.entry.root.hex(),
        "aliases": list(found.aliases()),
        "text": document.text,
        "sections": [
            {
                "heading": list(section.heading),
                "text": document.text[section.start : section.end],
                "start": section.start,
                "end": section.end,
            }
            for section in document.sections
        ],
    }


def passage_item(found: Found, start: int, end: int) -> dict[str, Any]:
    """A passage in the form of an evidence item, so that `check-citation` reads it.

    The heading is that of the section it starts in. Raises UsageError for a span outside the text.
    """
    document = found.document()
    if not 0 <= start < end <= len(document.text):
        raise UsageError(
            expected=f"a span within 0-{len(document.text)} of {found.entry.title!r}",
            found=f"{start}-{end}",
            next="copy the span from the citation",
        )
    section = section_at(document, start)
    return {
        "root": found.entry.root.hex(),
        "title": found.entry.title,
        "archive": found.archive,
        "path": found.entry.path,
        "heading": list(section.heading) if section else [],
        "quote": document.text[start:end],
        "start": start,
        "end": end,
        "highlights": [],
    }
