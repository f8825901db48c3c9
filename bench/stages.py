"""Where the CPU time of a build goes: `python -m bench.stages --zim ZIM`, in one process, stage by stage.

The clock costs some 0.5 us a call; `calls` says how many there were.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from aborist import build
from aborist.errors import AboristError
from aborist.processes import Crew
from bench import record
from bench.clock import Clock, Made, Stage
from bench.rawzim import NoZimError

__all__ = ["STAGES", "main", "profile"]

# What a statement of the finishing pass is about, by what stands in it, the first that fits.
STATEMENTS = {
    "passage(passage)": "finish: optimise", "title_": "finish: names", "links": "finish: links",
    " INDEX ": "finish: indexes", "vocabulary": "finish: counts", "keyword": "finish: keywords",
    "core": "finish: keywords",
}  # fmt: skip


def _by_statement(_: Any, statement: str, *__: Any) -> str:
    return next((stage for part, stage in STATEMENTS.items() if part in statement), "finish: rest")


# Where the program looks a function up: its stage. Time within one that is wrapped too counts for that one.
STAGES: Mapping[str, Stage] = {
    "aborist.ingest.zim.scan": "directory",
    "aborist.build.sample": "sample",
    "aborist.ingest.zim.read": "read and decompress",
    "aborist.ingest.html.extract": "parse and extract",
    "aborist.ingest.chunk.passages": "chunk",
    "aborist.vocabulary.Vocabulary.numbers": "normalise and stem",
    "aborist.ingest.record.passage_heads": "normalise and stem",
    "aborist.ingest.record.document_root": "root",
    "aborist.ingest.record._links": "links",
    "aborist.ingest.fill.to_record": "count terms",
    "aborist.shard.layout.pack": "pack",
    "aborist.shard.write.zstandard.ZstdCompressor": Made("compress", "pack"),
    "aborist.shard.write.insert_aliases": "insert names",
    "aborist.shard.write.ShardWriter._insert": "insert passages",
    "aborist.shard.spool.save": "spool keywords",
    "aborist.shard.tally.Tally.keywords": "count terms",
    "aborist.shard.tally.Tally.add": "count terms",
    "aborist.shard.write.ShardWriter.write_part": "insert terms, commit",
    "aborist.build.collect": "finish: links",
    "aborist.shard.finish.run": _by_statement,
    "aborist.shard.finish._distil": "finish: keywords",
    "aborist.shard.finish._count_passages": "finish: counts",
    "aborist.shard.finish.finish": "finish: rest",
    "aborist.ingest.fill.suspects": "finish: rest",
    "aborist.ingest.fill.sync": "publish",
    "aborist.shard.manifest.file_sha256": "publish",
    "aborist.build.snapshot": "publish",
    "aborist.build.publish": "publish",
}
REST = "everything else"


class _Quiet:
    """A progress that shows nothing."""

    def stage(self, archive: str, name: str) -> None: ...
    def start(self, archive: str, articles: int) -> None: ...
    def advance(self, archive: str, articles: int) -> None: ...


def _here(_: int) -> Crew:
    """A crew that works in this process, whatever number of workers was asked for."""
    return Crew(0)


def profile(zim: Path, shards: Path) -> dict[str, Any]:
    """Builds an index in this process; the CPU time of each stage, its share and calls, the largest first.

    :raises AboristError: the archive cannot be indexed.
    """
    clock = Clock()
    with clock.watching(STAGES) as missing, mock.patch.object(build, "Crew", _here):
        begun = time.process_time()
        (report,) = build.index([zim], shards, progress=_Quiet())
        spent = time.process_time() - begun
    if report.error:
        raise AboristError(**report.error)
    seconds = {**clock.seconds, REST: spent - sum(clock.seconds.values())}
    return {
        "articles": report.articles,
        "cpu_s": spent,
        "cpu_us_per_article": spent / max(1, report.articles) * 1e6,
        "stages": {
            stage: {"cpu_s": used, "share": used / spent, "calls": clock.calls.get(stage)}
            for stage, used in sorted(seconds.items(), key=lambda one: -one[1])
        },
        "seams_missing": missing,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the shares and writes one result file; 1 when the archive cannot be indexed."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="aborist-stages-", dir=options.scratch) as scratch:
            found = profile(options.zim, Path(scratch, "shards"))
        corpus = record.corpus([options.zim])
    except (AboristError, NoZimError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    for stage, row in found["stages"].items():
        print(f"{stage:24}{row['cpu_s']:>10.2f} s{row['share']:>8.1%}{row['calls'] or '':>12}")
    print(f"{'all':24}{found['cpu_s']:>10.2f} s, {found['cpu_us_per_article']:.0f} us an article")
    if found["seams_missing"]:
        print(f"not found, so not told apart: {', '.join(found['seams_missing'])}")
    content = {"command": record.command("bench.stages", arguments), "corpus": corpus, **found}
    print(f"\nwritten: {record.write(f'stages-{options.zim.stem}', content, options.out).name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.stages", description=__doc__)
    add = parser.add_argument
    add("--zim", type=Path, required=True, help="an unsplit archive")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    add("--scratch", type=Path, help="where the index is built (default: the system's temporary folder)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
