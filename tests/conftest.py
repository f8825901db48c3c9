"""Small real indexes that tests share, and the command line called in process.

The shared indexes are only read; a test that changes or damages one takes a copy (`index_copy`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from tests import zims

# Times vary on shared machines; a slow example is no failure.
settings.register_profile("aborist", deadline=None)
settings.load_profile("aborist")

ORWELL = """<html><body><h1>Nineteen Eighty-Four</h1>
<p>Nineteen Eighty-Four is a dystopian novel by the English writer George Orwell, published in 1949.</p>
<h2>Plot</h2><p>Winston Smith lives in Airstrip One. The Party says that Oceania has always been at war
with Eastasia, though Winston remembers otherwise. He keeps a forbidden diary.</p>
<h3>Room 101</h3><p>In Room 101 a prisoner meets the worst thing in the world.</p></body></html>"""
COPIED = "<html><body><p>An identical text that stands under two names in one archive.</p></body></html>"
# The roots of these two texts share their first 8 hex digits.
TWINS = ("Serial number 23322 of the catalogue.", "Serial number 52943 of the catalogue.")

PAGES = (
    zims.Page("Nineteen_Eighty-Four", "Nineteen Eighty-Four", ORWELL),
    zims.page("Tea", "Tea is an aromatic drink prepared by pouring hot water over cured leaves of the tea plant."),
    zims.page(
        "Coffee",
        "Coffee is a drink brewed from roasted beans. It was first drunk in Yemen in the 15th century.",
    ),
    zims.page("Oceania", "Oceania is a region of the world that includes Australasia, Melanesia and Polynesia."),
    zims.page("East Asia", "East Asia is the eastern region of Asia. China, Japan and Korea lie there."),
    zims.page("AC/DC", "AC/DC are a rock band formed in Sydney in 1973 by the brothers Malcolm and Angus Young."),
    zims.page("C++", "C++ is a programming language created by Bjarne Stroustrup as an extension of C."),
    zims.page("Unicode", "Unicode holds 𝔘𝔫𝔦𝔠𝔬𝔡𝔢, emoji 👩‍👩‍👧, Греция, 東京 and a naïve café."),
    zims.Page("Copy_one", "Copy one", COPIED),
    zims.Page("Copy_two", "Copy two", COPIED),
    zims.page("Twin one", TWINS[0]),
    zims.page("Twin two", TWINS[1]),
    zims.Page("manual.pdf", "Field manual", b"%PDF-1.4", "application/pdf"),
    zims.Page("Empty", "Empty", "<html><body></body></html>"),
)
REDIRECTS = (
    ("1984_(novel)", "1984 (novel)", "Nineteen_Eighty-Four"),
    ("1984", "Nineteen 84", "Nineteen_Eighty-Four"),
    ("Chai", "Chai", "Tea"),
)
OTHER_PAGES = (
    PAGES[1],  # the same text in another archive
    zims.page("Coffee", "Coffee is a brown drink, says the other archive, and people drink it in the morning."),
    zims.page("Mate", "Mate is a drink of South America made from the leaves of yerba mate."),
)
RUSSIAN_PAGES = (
    zims.page("Париж", "Париж — столица Франции. Город стоит на реке Сене, в нём живут два миллиона человек."),
    zims.page("TCP", "TCP — протокол передачи данных. Он следит за тем, чтобы пакеты пришли по порядку."),
    zims.page("Война и мир", "«Война и мир» — роман-эпопея Льва Толстого о войне 1812 года."),
    zims.page("Ёж", "Ёж — млекопитающее с иглами. Ежи едят насекомых и впадают в спячку."),
)
RUSSIAN_REDIRECTS = (("Столица_Франции", "Столица Франции", "Париж"),)


class Done(NamedTuple):
    """What a call of the command line left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three ZIM files by name: `small` (English), `other` (shares articles with it), `russian`."""
    folder = tmp_path_factory.mktemp("zim")
    russian = {"Title": "Малая", "Language": "rus", "Name": "russian", "Date": "2026-01-02"}
    return {
        # Small clusters, so that the archive can be dealt to two shards.
        "small": zims.build(folder / "small.zim", PAGES, REDIRECTS, cluster_bytes=400),
        "other": zims.build(folder / "other.zim", OTHER_PAGES),
        "russian": zims.build(folder / "russian.zim", RUSSIAN_PAGES, RUSSIAN_REDIRECTS, metadata=russian),
    }


def build_index(files: list[Path], shards: Path, **options: int) -> Path:
    """Index archives in this process; returns the folder."""
    from aborist import build
    from aborist.view import _Silent

    reports = build.index(files, shards, progress=_Silent(), **options)
    assert [report.status for report in reports] == ["indexed"] * len(files)
    return shards


@pytest.fixture(scope="session")
def shards(archives: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of all three archives, `small` in two shards."""
    folder = tmp_path_factory.mktemp("index") / "shards"
    build_index([archives["small"]], folder, shard_count=2)
    return build_index([archives["other"], archives["russian"]], folder)


@pytest.fixture(scope="session")
def russian_shards(archives: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the Russian archive alone."""
    return build_index([archives["russian"]], tmp_path_factory.mktemp("russian") / "shards")


@pytest.fixture
def index_copy(shards: Path, tmp_path: Path) -> Path:
    """A copy of the index of all three archives, to be changed or damaged."""
    return Path(shutil.copytree(shards, tmp_path / "copy"))


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Calls the command line in this process, away from the user's settings; an exception fails the test."""
    from aborist.cli import main

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    for name in ("ABORIST_SHARDS", "ABORIST_CONFIG", "ABORIST_K", "ABORIST_LINK", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: object) -> Done:
        capsysbinary.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsysbinary.readouterr()
        return Done(status, captured.out.decode(), captured.err.decode())

    return call
