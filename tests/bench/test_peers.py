"""A peer from its installation to its end, with a small program in the place of one from PyPI."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from libzim.reader import Archive

from bench.baselines import UnavailableError
from bench.peers import ZIMANTIC, ZIMI, Peer, serving

RUSSIAN = Path(__file__).parents[2] / "samples" / "seeds_ru.zim"
# Answers as zimi does, with a path that redirects, and burns some time on each search.
PROGRAM = """#!{python}
import json, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        end = time.process_time() + (.02 if self.path.startswith("/search") else 0)
        while time.process_time() < end: pass
        refused = "q=%3F" in self.path
        self.send_response(400 if refused else 200); self.end_headers()
        self.wfile.write(json.dumps({{"results": [{{"zim": "seeds_ru", "path": {path!r}}}]}}).encode())
HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Answer).serve_forever()
"""
PEER = replace(ZIMI, name="small", requirement="small==1", idle_s=0.05)


def put(cache: Path, peer: Peer, program: str) -> None:
    path = cache / f"peer-{peer.requirement}" / "bin" / peer.name
    path.parent.mkdir(parents=True)
    path.write_text(program, encoding="utf-8")
    path.chmod(0o755)


def redirect_of(archive: Archive) -> str:
    entries = (archive._get_entry_by_id(number) for number in range(archive.all_entry_count))
    return next(str(entry.path) for entry in entries if entry.is_redirect and entry.path != "mainPage")


def test_a_peer_is_served_asked_timed_and_stopped(tmp_path: Path) -> None:
    archive = Archive(RUSSIAN)
    path = redirect_of(archive)
    put(tmp_path, PEER, PROGRAM.format(python=sys.executable, path=path))
    with serving(PEER, [RUSSIAN], tmp_path) as server:
        before = server.cpu_ms()
        title = archive.get_entry_by_path(path).get_item().title
        assert server.titles("что это", 10) == [title]
        assert server.titles("?", 10) == []
        assert server.cpu_ms() - before >= 20
    assert not Path(f"/proc/{server.pid}").exists()


def test_a_peer_that_does_not_start_is_unavailable(tmp_path: Path) -> None:
    put(tmp_path, PEER, f"#!{sys.executable}\nraise SystemExit(3)\n")
    with pytest.raises(UnavailableError, match="small does not start here"), serving(PEER, [RUSSIAN], tmp_path):
        pass


def test_a_peer_that_cannot_index_is_unavailable_and_says_why(tmp_path: Path) -> None:
    peer = replace(PEER, build=("build",))
    put(tmp_path, peer, f"#!{sys.executable}\nraise SystemExit('no such archive')\n")
    with pytest.raises(UnavailableError, match="build ended with 'no such archive'"):
        serving(peer, [RUSSIAN], tmp_path).__enter__()


@pytest.mark.slow
def test_a_peer_that_does_not_install_is_unavailable(tmp_path: Path) -> None:
    peer = replace(PEER, requirement="./absent")
    with pytest.raises(UnavailableError, match="small cannot be asked here"):
        serving(peer, [RUSSIAN], tmp_path).__enter__()


def test_zimantics_settings_are_toml_whatever_the_folder_is_called(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted" folder'
    ZIMANTIC.prepare(tmp_path, folder, 8090)
    settings = tomllib.loads((tmp_path / "config.toml").read_text(encoding="utf-8"))
    assert settings == {"zim_dir": str(folder), "index_dir": str(tmp_path / "indexes"), "port": 8090}
