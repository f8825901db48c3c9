"""A peer from its installation to its end, with a small program in the place of one from PyPI."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from libzim.reader import Archive

from bench import run
from bench.baselines import UnavailableError
from bench.peers import ZIMANTIC, ZIMI, Peer, serving
from bench.systems import SYSTEMS, peer

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
# Finds what it is told to find.
REPLYING = """#!{python}
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write({reply!r}.encode())
HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Answer).serve_forever()
"""
PEER = replace(ZIMI, name="small", requirement="small==1", idle_s=0.05)


def put(cache: Path, facts: Peer, program: str) -> None:
    path = cache / f"peer-{facts.requirement}" / "bin" / facts.name
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


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        "[1]",
        "no JSON",
        '{"results": [{"zim": "seeds_ru", "path": "no/such/path"}]}',
        '{"results": [{"zim": "another", "path": "x"}]}',
        '{"results": [null]}',
    ],
)
def test_a_reply_that_is_no_list_of_the_archives_articles_makes_a_peer_unavailable(tmp_path: Path, reply: str) -> None:
    put(tmp_path, PEER, REPLYING.format(python=sys.executable, reply=reply))
    with (
        pytest.raises(UnavailableError, match=r"expected small to answer 'q' with articles of the archive; found"),
        serving(PEER, [RUSSIAN], tmp_path) as server,
    ):
        server.titles("q", 3)


def test_a_run_goes_on_without_a_peer_that_breaks_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, PEER, REPLYING.format(python=sys.executable, reply="{}"))
    monkeypatch.setitem(SYSTEMS, "small", peer(PEER))
    questions = tmp_path / "q.txt"
    questions.write_text("что такое TCP\tTCP\n", encoding="utf-8")
    options = ["--zim", str(RUSSIAN), "--questions", str(questions), "--cache", str(tmp_path)]
    assert run.main([*options, "--systems", "small,libzim", "--out", str(tmp_path / "out"), "--name", "x"]) == 0
    (result,) = (tmp_path / "out").glob("x-*.json")
    assert set(json.loads(result.read_text(encoding="utf-8"))["systems"]) == {"libzim"}
    assert "small: expected small to answer" in capsys.readouterr().out


def test_a_peer_that_does_not_end_is_killed(tmp_path: Path) -> None:
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    head, rest = REPLYING.format(python=sys.executable, reply="{}").split("\n", 1)
    put(tmp_path, PEER, f"{head}\n{stubborn}{rest}")
    with serving(replace(PEER, stop_within_s=0.1), [RUSSIAN], tmp_path) as server:
        pass
    assert not Path(f"/proc/{server.pid}").exists()


def test_a_program_that_cannot_be_run_is_unavailable(tmp_path: Path) -> None:
    put(tmp_path, PEER, "#!/no/such/interpreter\n")
    with pytest.raises(UnavailableError, match="small cannot be asked here"):
        serving(PEER, [RUSSIAN], tmp_path).__enter__()


def test_a_link_to_where_the_archive_was_is_drawn_anew(tmp_path: Path) -> None:
    put(tmp_path, PEER, f"#!{sys.executable}\nraise SystemExit(3)\n")
    for place in ("old", "new"):
        (tmp_path / place).mkdir()
        shutil.copy(RUSSIAN, tmp_path / place)
        with pytest.raises(UnavailableError):
            serving(PEER, [tmp_path / place / RUSSIAN.name], tmp_path).__enter__()
        (tmp_path / "old" / RUSSIAN.name).unlink(missing_ok=True)
    (link,) = tmp_path.glob(f"peers-*/archives/{RUSSIAN.name}")
    assert link.resolve() == tmp_path / "new" / RUSSIAN.name


def test_a_peer_that_does_not_start_is_unavailable(tmp_path: Path) -> None:
    put(tmp_path, PEER, f"#!{sys.executable}\nraise SystemExit(3)\n")
    with pytest.raises(UnavailableError, match="small does not start here"), serving(PEER, [RUSSIAN], tmp_path):
        pass


def test_a_peer_that_cannot_index_is_unavailable_and_says_why(tmp_path: Path) -> None:
    built = replace(PEER, build=("build",))
    put(tmp_path, built, f"#!{sys.executable}\nraise SystemExit('no such archive')\n")
    with pytest.raises(UnavailableError, match="build ended with 'no such archive'"):
        serving(built, [RUSSIAN], tmp_path).__enter__()


@pytest.mark.slow
def test_a_peer_that_does_not_install_is_unavailable(tmp_path: Path) -> None:
    absent = replace(PEER, requirement="./absent")
    with pytest.raises(UnavailableError, match="small cannot be asked here"):
        serving(absent, [RUSSIAN], tmp_path).__enter__()


def test_zimantics_settings_are_toml_whatever_the_folder_is_called(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted" folder'
    ZIMANTIC.prepare(tmp_path, folder, 8090)
    settings = tomllib.loads((tmp_path / "config.toml").read_text(encoding="utf-8"))
    assert settings == {"zim_dir": str(folder), "index_dir": str(tmp_path / "indexes"), "port": 8090}
