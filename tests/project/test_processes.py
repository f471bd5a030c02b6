"""Children live and die together; each is asked by its main pid alone, in bounded time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.processes import Crew, run_crew

ROOT = Path(__file__).resolve().parents[2]

# A child with a helper in its group, as qcluster has: each writes down the signals that it gets.
CHILD = """
import os, signal, sys, time
notes, name, manner = sys.argv[1:]
def write(word):
    with open(notes, "a") as file:
        file.write(f"{name} {word}\\n")
def on_term(*_):
    write("SIGTERM")
    if manner != "stubborn":
        sys.exit(0)
helper = os.fork()
if helper == 0:
    signal.signal(signal.SIGTERM, lambda *_: write("helper SIGTERM"))
    write(f"helper {os.getpid()}")
    while True:
        time.sleep(0.05)
signal.signal(signal.SIGTERM, on_term)
signal.signal(signal.SIGINT, lambda *_: write("SIGINT"))
write("up")
if manner == "dies":
    time.sleep(0.3)
    os._exit(3)
while True:
    time.sleep(0.05)
"""

LAUNCHER = """
import sys
from tools.processes import run_crew, say
child, notes, patience, *manners = sys.argv[1:]
def body(crew):
    if "failing-step" in manners:
        crew.step("the first step", [sys.executable, "-c", "raise SystemExit(7)"])
    if "long-step" in manners:
        crew.step("the long step", [sys.executable, child, notes, "step", "polite"])
    for number, manner in enumerate(manners):
        crew.start(f"child{number}", [sys.executable, child, notes, f"child{number}", manner])
    crew.watch()
sys.exit(run_crew(body, patience=float(patience)))
"""


class Launcher:
    """A launcher in a process of its own, and what its children wrote down."""

    def __init__(self, folder: Path, *manners: str, patience: float) -> None:
        self.notes = folder / "notes"
        self.notes.touch()
        (folder / "child.py").write_text(CHILD)
        (folder / "launcher.py").write_text(LAUNCHER)
        scripts = [str(folder / "launcher.py"), str(folder / "child.py"), str(self.notes)]
        command = [sys.executable, *scripts, str(patience), *manners]
        self.process = subprocess.Popen(
            command,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def lines(self) -> list[str]:
        return self.notes.read_text().splitlines()

    def wait_for(self, *lines: str) -> None:
        deadline = time.monotonic() + 20
        while not set(lines) <= set(self.lines()):
            assert time.monotonic() < deadline, f"waited for {lines}, got {self.lines()}"
            time.sleep(0.02)

    def end(self) -> tuple[int, str]:
        output, _ = self.process.communicate(timeout=20)
        return self.process.returncode, output

    def helpers_alive(self) -> list[int]:
        pids = [
            int(line.split()[-1])
            for line in self.lines()
            if "helper" in line and line.split()[-1].isdecimal()
        ]
        return [pid for pid in pids if running(pid)]


def running(pid: int) -> bool:
    """Whether a process lives; one that is dead and only not yet collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.fixture
def launch(tmp_path):
    started: list[Launcher] = []

    def start(*manners: str, patience: float = 20) -> Launcher:
        started.append(Launcher(tmp_path, *manners, patience=patience))
        return started[-1]

    yield start
    for launcher in started:
        if launcher.process.poll() is None:
            launcher.process.send_signal(signal.SIGTERM)
            launcher.end()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_ends_all_children_with_status_0(launch, number):
    launcher = launch("polite", "polite")
    launcher.wait_for("child0 up", "child1 up")
    launcher.process.send_signal(number)
    status, output = launcher.end()
    assert status == 0, output
    assert {"child0 SIGTERM", "child1 SIGTERM"} <= set(launcher.lines())


def test_a_stop_reaches_main_pids_alone_and_leaves_no_helper(launch):
    launcher = launch("polite")
    launcher.wait_for("child0 up")
    launcher.process.send_signal(signal.SIGINT)
    assert launcher.end()[0] == 0
    assert not [line for line in launcher.lines() if line.endswith(("helper SIGTERM", " SIGINT"))]
    assert launcher.helpers_alive() == []


def test_ctrl_c_in_the_terminal_reaches_the_children_only_through_the_launcher(launch):
    launcher = launch("polite")
    launcher.wait_for("child0 up")
    os.killpg(launcher.process.pid, signal.SIGINT)
    assert launcher.end()[0] == 0
    assert "child0 SIGINT" not in launcher.lines()


def test_when_one_dies_the_other_is_stopped_and_the_status_is_not_0(launch):
    launcher = launch("dies", "polite")
    status, output = launcher.end()
    assert status == 1
    assert "child0 ended by itself (exit status 3)" in output
    assert "child1 SIGTERM" in launcher.lines()
    assert launcher.helpers_alive() == []


def test_last_words_are_found_in_the_log(tmp_path, capfd):
    log = tmp_path / "web.log"

    def body(crew: Crew) -> None:
        crew.start("web", [sys.executable, "-c", "raise SystemExit('last words')"], log=log)
        crew.watch()

    assert run_crew(body) == 1
    assert capfd.readouterr().out == f"web ended by itself (exit status 1; see {log}).\n"
    assert log.read_text() == "last words\n"


def test_a_child_that_does_not_end_is_killed_after_the_patience(launch):
    launcher = launch("stubborn", "polite", patience=0.5)
    launcher.wait_for("child0 up", "child1 up")
    launcher.process.send_signal(signal.SIGTERM)
    status, output = launcher.end()
    assert status == 1
    assert "Killed child0: " in output
    assert launcher.helpers_alive() == []


def test_a_second_ctrl_c_kills_at_once(launch):
    launcher = launch("stubborn", patience=600)
    launcher.wait_for("child0 up")
    launcher.process.send_signal(signal.SIGINT)
    launcher.wait_for("child0 SIGTERM")
    time.sleep(0.6)
    launcher.process.send_signal(signal.SIGINT)
    assert launcher.end()[0] == 1
    assert launcher.helpers_alive() == []


def test_the_same_stop_told_twice_is_one_stop(launch):
    launcher = launch("stubborn", patience=2)
    launcher.wait_for("child0 up")
    began = time.monotonic()
    launcher.process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    launcher.process.send_signal(signal.SIGTERM)
    launcher.end()
    assert time.monotonic() - began > 1.9


def test_nothing_starts_after_a_failed_step(launch):
    launcher = launch("failing-step", "polite")
    status, output = launcher.end()
    assert status == 1
    assert "the first step failed (exit status 7)" in output
    assert launcher.lines() == []


def test_a_stop_during_a_step_lets_the_step_end_itself(launch):
    launcher = launch("long-step", "polite")
    launcher.wait_for("step up")
    launcher.process.send_signal(signal.SIGINT)
    assert launcher.end()[0] == 0
    assert "step SIGTERM" in launcher.lines()
    assert "child1 up" not in launcher.lines()
