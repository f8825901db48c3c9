"""The parts of the report about cost, as lines of Markdown: beside quality, against size, by stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bench.sections import shown, table

__all__ = ["scale", "speed", "stages"]

MB = 1_000_000


def speed(result: Mapping[str, Any]) -> Iterator[str]:
    """A row for each system: build, size, start, time a question, quality."""
    zim, text = result["corpus"][0]["name"], shown(result["text_bytes"] / MB)
    yield f"One run over {zim} ({text} MB of text), {result['asked']} questions of the eight groups. Build: CPU and"
    yield "wall seconds of one worker. Start: CPU until the first question can be asked, of zimantic its server's. A"
    yield "question: CPU ms, warm, each asked once, of the asking process, of zimantic its server's. libzim's index"
    yield "comes with the archive: no build is seen; zimantic --fast indexes titles and asks that one too.\n"
    yield from table([_speed_row(name, row) for name, row in result["speed"].items()])


def _speed_row(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "system": name, "build CPU s": row.get("build_cpu_s"), "wall s": row.get("build_wall_s"),
        "build MB": row.get("build_max_rss_mb"), "index MB": row["index_bytes"] / MB,
        "index/text": row["index_to_text"], "start CPU s": row["start_cpu_s"], "ms p50": row["cpu_ms_p50"],
        "p95": row["cpu_ms_p95"], "p99": row["cpu_ms_p99"], "macro hit@1": row["macro_hit1"],
        "macro hit@5": row["macro_hit5"],
    }  # fmt: skip


def scale(result: Mapping[str, Any]) -> Iterator[str]:
    """Builds and memory by archive, times by kind and archive with their exponents, stages of the largest."""
    archives: Sequence[Mapping[str, Any]] = sorted(result["archives"], key=lambda one: int(one["articles"]))
    yield "Archives of `bench.synthetic` (those named s...) and real ones. The largest process is what MB means.\n"
    yield from table([_size_row(one) for one in archives])
    yield "\nCPU ms a question, p50 / p95 / p99; exponents of p50 and p95 over the synthetic archives:\n"
    kinds = dict.fromkeys(kind for one in archives for kind in one["kinds"])
    yield from table([_kind_row(kind, archives, result["exponents"]) for kind in kinds])
    yield from _hits(archives, kinds)
    yield f"\nMean CPU ms by stage, {archives[-1]['archive']}:\n"
    yield from table([{"kind": kind, **stages} for kind, stages in archives[-1]["stages"].items()])


def _hits(archives: Sequence[Mapping[str, Any]], kinds: Iterable[str]) -> Iterator[str]:
    with_gold = [kind for kind in kinds if any(_hit(one, kind) is not None for one in archives)]
    if with_gold:
        yield "\nhit@1 of the kinds that have gold (a quote may stand in another article as well):\n"
        yield from table(
            [{"kind": kind, **{one["archive"]: _hit(one, kind) for one in archives}} for kind in with_gold]
        )


def _hit(one: Mapping[str, Any], kind: str) -> float | None:
    hit: float | None = one["kinds"].get(kind, {}).get("hit1")
    return hit


def _size_row(one: Mapping[str, Any]) -> dict[str, Any]:
    build = one["build"] or {}
    return {
        "archive": one["archive"], "articles": one["articles"], "text MB": one["text_bytes"] / MB,
        "index/text": one["index_to_text"], "build us CPU an article": build.get("cpu_us_per_article"),
        "articles/s": build.get("articles_per_s"), "workers": build.get("workers"),
        "build MB": build.get("max_rss_mb"), "asking MB": one["ask_max_rss_mb"], "load": one["load"],
    }  # fmt: skip


def _kind_row(
    kind: str, archives: Sequence[Mapping[str, Any]], exponents: Mapping[str, Mapping[str, float | None]]
) -> dict[str, Any]:
    cells = {one["archive"]: _times(one["kinds"].get(kind)) for one in archives}
    slopes = exponents.get(kind, {})
    told = " / ".join("-" if slope is None else f"{slope:.2f}" for slope in slopes.values()) or "-"
    return {"kind": kind, **cells, "exponents": told}


def _times(costs: Mapping[str, Any] | None) -> str:
    if not costs or not costs["n"]:
        return "-"
    return " / ".join(f"{value:.1f}" for key, value in costs.items() if key.startswith("cpu_ms"))


def stages(result: Mapping[str, Any]) -> Iterator[str]:
    """The stages of a build, the dearest first."""
    cost = f"{shown(result['cpu_us_per_article'])} us CPU an article"
    yield f"{shown(result['articles'])} articles, one process, {cost}.\n"
    yield from table([{"stage": name, **row} for name, row in result["stages"].items()])
