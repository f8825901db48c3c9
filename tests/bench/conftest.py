"""An index of the Russian sample, shared by the tests that measure it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.index import index_of


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def russian_shards(cache: Path) -> Path:
    return index_of([Path(__file__).parents[2] / "samples" / "seeds_ru.zim"], cache)
