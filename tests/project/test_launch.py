"""`make run` and `make demo` as a person meets them: sentences before anything starts, and one real run."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tools import demo, environment, launch

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60


def run_tool(name: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"tools.{name}"]
    given = os.environ | env
    return subprocess.run(
        command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=30, check=False
    )


@pytest.fixture
def busy_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.mark.parametrize("tool", ["launch", "demo"])
def test_a_busy_port_is_told_before_anything_starts(tool, busy_port, tmp_path):
    database = tmp_path / "never.sqlite3"
    result = run_tool(tool, PORT=str(busy_port), DATABASE_URL=f"sqlite:///{database}")
    assert result.returncode == 1
    told = f"Cannot listen on 127.0.0.1:{busy_port}: Address already in use."
    assert result.stderr.startswith(told)
    assert result.stdout == ""
    assert not database.exists()


@pytest.mark.parametrize("text", ["http", "0", "65536", "-1", "8000.5"])
def test_a_senseless_port_gets_a_sentence(monkeypatch, text):
    monkeypatch.setenv("PORT", text)
    with pytest.raises(launch.PortError, match="PORT must be a number from 1 to 65535"):
        launch.port_from_environment()


@pytest.mark.parametrize("text, port", [("", 8000), ("8123", 8123)])
def test_the_port_comes_from_the_environment(monkeypatch, text, port):
    monkeypatch.setenv("PORT", text)
    assert launch.port_from_environment() == port


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except OSError:
        return 0


def members(session: int) -> list[int]:
    """The live processes that a process started or whose session it leads, itself included."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[0] != "Z" and session in {int(fields[1]), int(fields[3])}:
            found.append(int(stat.parent.name))
    return found


def test_run_serves_web_and_worker_and_a_ctrl_c_ends_both(free_port, tmp_path):
    env = os.environ | {
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "SECRET_KEY": "only-for-this-test",
        "PORT": str(free_port),
    }
    with (tmp_path / "log").open("w") as log:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "tools.launch"],
            cwd=ROOT,
            env=env,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_SECONDS
    while status(f"http://127.0.0.1:{free_port}/readyz") != 200 and launcher.poll() is None:
        assert time.monotonic() < deadline, (tmp_path / "log").read_text()
        time.sleep(0.2)
    children = members(launcher.pid)
    descendants = [pid for child in children for pid in members(child)]
    os.killpg(launcher.pid, signal.SIGINT)
    assert launcher.wait(timeout=45) == 0, (tmp_path / "log").read_text()
    assert len(children) == 3  # the launcher, web and worker
    assert [pid for pid in {*children, *descendants} if Path(f"/proc/{pid}").exists()] == []
    assert "Killed" not in (tmp_path / "log").read_text()


def a_demo(folder: Path) -> demo.Demo:
    return demo.Demo(folder, launch.Address("127.0.0.1", 8123), launch.Address("127.0.0.1", 8124))


def test_the_demo_takes_nothing_from_a_real_installation(monkeypatch, tmp_path):
    for name in environment.PRODUCT_VARIABLES:
        monkeypatch.setenv(name, "of a real installation")
        monkeypatch.setenv(f"{name}_FILE", "of a real installation")
    env = a_demo(tmp_path).environment()
    assert "of a real installation" not in env.values()
    assert env["DATABASE_URL"] == f"sqlite:///{tmp_path}/db.sqlite3"


def test_the_demo_asks_no_github_but_its_own(tmp_path):
    env = a_demo(tmp_path).environment()
    assert env["GITHUB_API_URL"] == "http://127.0.0.1:8124"
    key = load_pem_private_key(Path(env["GITHUB_APP_PRIVATE_KEY_FILE"]).read_bytes(), password=None)
    assert key.key_size == demo.KEY_BITS


def test_every_variable_that_the_settings_read_is_known_here():
    read = re.findall(
        r'env\.(?!package_folder)\w+\(\s*"(\w+)"', (ROOT / "config" / "settings.py").read_text()
    )
    assert "DATABASE_URL" in read
    assert set(read) - environment.PRODUCT_VARIABLES == {"PORT", "LOG_LEVEL", "KUBERNETES_SERVICE_HOST"}


def test_the_demo_keeps_its_secrets_for_the_next_run_and_for_its_owner(tmp_path):
    first = a_demo(tmp_path)
    before = first.environment(), first.password()
    second = a_demo(tmp_path)
    assert (second.environment(), second.password()) == before
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_every_address_that_a_person_is_told_is_a_page(tmp_path, admin_client):
    told = demo.invitation(a_demo(tmp_path))
    paths = re.findall(r"http://127\.0\.0\.1:8123(\S*)", told)
    assert {"/", "/passes/", "/processing/pull_requests/?state=PROCESSED"} <= set(paths)
    assert {path: admin_client.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "FOLDER", tmp_path / "demo")
    monkeypatch.setattr(demo, "LOCK", tmp_path / "demo.lock")


@pytest.mark.usefixtures("own_folder")
def test_two_demos_do_not_share_data():
    with demo.own_data(fresh=False), pytest.raises(demo.DemoRunsError), demo.own_data(fresh=True):
        pass


@pytest.mark.usefixtures("own_folder")
def test_a_fresh_demo_forgets_and_a_second_one_remembers():
    for fresh, kept in [(False, False), (False, True), (True, False)]:
        with demo.own_data(fresh=fresh) as folder:
            assert (folder / "note").exists() is kept
            (folder / "note").touch()
