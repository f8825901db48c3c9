"""When an index is built anew, and how its command fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench import index
from bench.index import PROGRAM, digest_of


def test_data_that_indexing_reads_are_part_of_the_program_and_byte_code_is_not(tmp_path: Path) -> None:
    copy = tmp_path / "aborist"
    shutil.copytree(PROGRAM, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert digest_of(copy) == digest_of(PROGRAM)
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "x.pyc").write_bytes(b"1")
    assert digest_of(copy) == digest_of(PROGRAM)
    with (copy / "data" / "function_words.txt").open("a", encoding="utf-8") as words:
        words.write("moreover\n")
    assert digest_of(copy) != digest_of(PROGRAM)


def test_a_missing_archive_is_a_failure_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert index.main([str(tmp_path / "absent.zim"), "--cache", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "absent.zim" in told.err


def test_the_folder_of_shards_is_printed(tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = Path(__file__).parents[2] / "samples" / "seeds_ru.zim"
    assert index.main([str(sample), "--cache", str(cache)]) == 0
    assert Path(capsys.readouterr().out.strip()) == index.index_of([sample], cache)
