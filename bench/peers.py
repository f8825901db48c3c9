"""Other programs that answer questions over ZIM files, asked through their own commands and servers.

Each gets a virtualenv of its own in the cache, so that nothing of theirs mixes with what is measured here:
`python -m bench.run --systems aborist,zimantic,zimi ...` installs, indexes, serves, asks and stops them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from bench.baselines import UnavailableError, final_title
from bench.rawzim import corpus_name

__all__ = ["PEERS", "Installed", "Peer", "Server", "prepared", "serving"]

READY_WITHIN_S = 120.0
INSTALL_WITHIN_S = 900.0
BUILD_WITHIN_S = 3600.0
ANSWER_WITHIN_S = 60.0
# A server that uses less of a core than this for `idle_s` has finished what it prepares in the background.
IDLE_CPU = 0.1
# What a broken reply, or one that names what is not in the archive, can end in.
BROKEN = (OSError, HTTPException, ValueError, LookupError, TypeError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Peer:
    """A program of PyPI: what to install, how to index and serve, how its search answers.

    `prepare(home, archives, port)` writes settings; `build` and `serve` are arguments of its command, run in `home`;
    `rows` finds the listed articles in what `/search` returned, each with `path` and the archive's stem under `zim`.
    """

    name: str
    requirement: str
    build: tuple[str, ...]
    serve: Callable[[Path, int], Sequence[str]]
    prepare: Callable[[Path, Path, int], None]
    rows: Callable[[Any], Sequence[Mapping[str, Any]]]
    zim: str
    environment: Mapping[str, str]
    idle_s: float = 3.0
    stop_within_s: float = 10.0


def _zimantic_settings(home: Path, archives: Path, port: int) -> None:
    settings = {"zim_dir": str(archives), "index_dir": str(home / "indexes"), "port": port}
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    (home / "config.toml").write_text("".join(lines), encoding="utf-8")


ZIMANTIC = Peer(
    name="zimantic",
    requirement="zimantic==0.1.5",
    build=("build", "--fast"),
    serve=lambda home, port: ("serve", "--fast"),
    prepare=_zimantic_settings,
    rows=lambda found: found,
    zim="source_key",
    environment={},
)
ZIMI = Peer(
    name="zimi",
    requirement="zimi==1.14.1",
    build=(),
    serve=lambda home, port: (
        "serve", "--host", "127.0.0.1", "--port", str(port),
        "--zim-dir", str(home.parent / "archives"), "--data-dir", str(home / "data"),
    ),
    prepare=lambda home, archives, port: None,
    rows=lambda found: found["results"],
    zim="zim",
    environment={"ZIMI_OFFLINE": "1"},
)  # fmt: skip
PEERS = (ZIMANTIC, ZIMI)


@dataclass(frozen=True, slots=True)
class Server:
    """A peer that runs and answers on a port of this machine."""

    peer: Peer
    port: int
    pid: int
    archives: Mapping[str, Any]  # libzim's Archives by their stem

    def titles(self, question: str, k: int) -> list[str]:
        """The titles of the articles it lists, best first; none for a question it refuses as malformed.

        :raises UnavailableError: it does not answer in time, or with what is no list of the archives' articles.
        """
        asked = urlencode({"q": question.encode(errors="replace"), "limit": k})
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/search?{asked}", timeout=ANSWER_WITHIN_S) as reply:
                rows = self.peer.rows(json.load(reply))
            return [final_title(self.archives[row[self.peer.zim]], row["path"]) for row in rows]
        except BROKEN as error:
            if isinstance(error, HTTPError) and error.code in {400, 422}:
                return []
            told = f"expected {self.peer.name} to answer {question!r} with articles of the archive"
            raise UnavailableError(f"{told}; found {error!r}: it is left out") from error

    def cpu_ms(self) -> float:
        """CPU time of the server so far, all threads, those that ended included."""
        # The clock of another process on Linux: clock_getcpuclockid(3), MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED).
        return time.clock_gettime((~self.pid << 3) | 2) * 1000


@contextmanager
def serving(peer: Peer, archives: Sequence[Path], cache: Path) -> Iterator[Server]:
    """The peer, installed, with these archives indexed, answering until the block is left.

    :raises UnavailableError: it does not install, index or start here.
    """
    from libzim.reader import Archive

    port = _free_port()
    program, home, environment = prepared(peer, archives, cache, port)
    if peer.build and not (home / "built").exists():
        _run(peer, [str(program), *peer.build], BUILD_WITHIN_S, cwd=home, env=environment)
        (home / "built").touch()
    with (home / "server.log").open("wb") as log:
        command = [str(program), *peer.serve(home, port)]
        try:
            process = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log)
        except OSError as error:
            raise UnavailableError(f"{peer.name} cannot be asked here: {error}") from error
        try:
            server = Server(peer, port, process.pid, {path.stem: Archive(path) for path in archives})
            _wait(server, process)
            yield server
        finally:
            _stop(process, peer.stop_within_s)


class Installed(NamedTuple):
    """A peer that can be run: its command, the folder it is run in, and its environment."""

    program: Path
    home: Path
    environment: Mapping[str, str]


def prepared(peer: Peer, archives: Sequence[Path], cache: Path, port: int = 0) -> Installed:
    """The peer installed, its settings written for these archives. :raises UnavailableError: it does not install."""
    program, home = _installed(peer, cache), _home(peer, archives, cache)
    peer.prepare(home, home.parent / "archives", port)
    return Installed(program, home, {**os.environ, "HOME": str(home), **peer.environment})


def _stop(process: subprocess.Popen[bytes], seconds: float) -> None:
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _installed(peer: Peer, cache: Path) -> Path:
    """The peer's command in a virtualenv of its own, made where there is none."""
    folder = cache / f"peer-{peer.requirement}"
    program = folder / "bin" / peer.name
    if not program.exists():
        print(f"installing {peer.requirement} ...", file=sys.stderr)
        _run(peer, [sys.executable, "-m", "venv", str(folder)], INSTALL_WITHIN_S)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run(peer, [*pip, peer.requirement], INSTALL_WITHIN_S)
    return program


def _home(peer: Peer, archives: Sequence[Path], cache: Path) -> Path:
    """A folder for its settings and indexes beside one of links to the archives, for peers want a folder of them."""
    corpus = cache / f"peers-{corpus_name(archives)}"
    home, links = corpus / peer.name, corpus / "archives"
    home.mkdir(parents=True, exist_ok=True)
    links.mkdir(exist_ok=True)
    for archive in archives:
        link = links / archive.name
        # An archive that has moved leaves a link behind that leads nowhere: exists() denies it, symlink_to trips on it.
        if link.is_symlink():
            link.unlink()
        link.symlink_to(archive.resolve())
    return home


def _run(peer: Peer, command: Sequence[str], seconds: float, **options: Any) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{peer.name} cannot be asked here: {error}") from error
    if done.returncode:
        told = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
        raise UnavailableError(f"{peer.name} cannot be asked here: {' '.join(command[1:4])} ended with {told!r}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    """Until it answers and has stopped preparing."""
    deadline = time.monotonic() + READY_WITHIN_S
    while not (_answers(server.port) and _is_idle(server)):
        if process.poll() is not None or time.monotonic() > deadline:
            raise UnavailableError(f"{server.peer.name} does not start here: see its server.log in the cache")
        time.sleep(0.1)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=ANSWER_WITHIN_S) as reply:
            return bool(reply.status == 200)
    except (OSError, HTTPException):
        return False


def _is_idle(server: Server) -> bool:
    before = server.cpu_ms()
    time.sleep(server.peer.idle_s)
    return server.cpu_ms() - before < 1000 * server.peer.idle_s * IDLE_CPU
