"""What is read from whole clusters is what libzim reads; what is not plain is left to it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from aborist.ingest.cluster import Clusters
from aborist.ingest.zim import Archive, open_archive
from tests import zims


def pages(count: int) -> list[zims.Page]:
    drawn = random.Random(7)
    texts = (" ".join(drawn.choices("stone river cloud wind Ж 水".split(), k=60 * n)) for n in range(count))
    return [zims.page(f"Page {n}", text) for n, text in enumerate(texts)]


def both(archive: Archive, path: str) -> tuple[bytes | None, bytes]:
    """The content as a cluster read whole gives it, and libzim's."""
    entry = archive.zim.get_entry_by_path(path)
    name = archive.directory.name(entry._index)
    return Clusters(archive.directory).blob(name.cluster, name.blob), bytes(entry.get_item().content)


def test_every_blob_of_a_zstd_cluster_is_libzims(tmp_path: Path) -> None:
    written = pages(40)
    with open_archive(zims.build(tmp_path / "a.zim", written, cluster_bytes=8192)) as archive:
        found = [both(archive, page.path) for page in written]
    assert [ours for ours, _ in found if ours is not None] == [theirs for ours, theirs in found if ours is not None]
    assert sum(ours is not None for ours, _ in found) > 30  # the last cluster is libzim's


def test_clusters_without_compression_are_left_to_libzim(tmp_path: Path) -> None:
    with open_archive(zims.build(tmp_path / "a.zim", pages(9), cluster_bytes=4096, compression="none")) as archive:
        ours, theirs = both(archive, "Page_3")
    assert ours is None
    assert theirs


def test_a_smashed_cluster_is_left_to_libzim(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "a.zim", pages(40), cluster_bytes=8192)
    zims.smash_cluster(file, "Page_9")
    with open_archive(file) as archive:
        name = archive.directory.name(archive.zim.get_entry_by_path("Page_9")._index)
        assert Clusters(archive.directory).blob(name.cluster, name.blob) is None


@pytest.mark.parametrize(("cluster", "blob"), [(0, 1 << 30), (1 << 31, 0)])
def test_a_number_beyond_what_is_there_is_left_to_libzim(tmp_path: Path, cluster: int, blob: int) -> None:
    with open_archive(zims.build(tmp_path / "a.zim", pages(40), cluster_bytes=8192)) as archive:
        assert Clusters(archive.directory).blob(cluster, blob) is None
