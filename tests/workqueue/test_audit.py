"""The audit: rows, lines in the log, and objects in a folder; none of it ever stops the work."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
import structlog

from core import archive
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import submit
from workqueue.services.working import work

pytestmark = [pytest.mark.usefixtures("shop"), pytest.mark.django_db(transaction=True)]


def test_b5_30_every_transition_decision_and_outcome_is_a_line_of_the_log():
    with structlog.testing.capture_logs() as lines:
        lamp, _ = submit(caller="alice")
        work()
    ours = [line for line in lines if line["event"] == "work item"]
    assert [line["kind"] for line in ours] == [
        "created", "dimension_change", "dimension_change", "decision", "outcome", "dimension_change", "decision",
    ]  # fmt: skip
    assert {line["log_level"] for line in ours} == {"info"}
    assert {(line["item"], line["key"]) for line in ours} == {(lamp, "lamp:hall:1")}
    assert told(lamp) == [line["sentence"] for line in ours]


def test_b5_30_the_archive_holds_an_object_for_each_entry_by_the_minute(settings, tmp_path):
    settings.AUDIT_FOLDER = str(tmp_path)
    lamp, _ = submit(caller="alice")
    objects = sorted(tmp_path.rglob("*"))
    files = [path for path in objects if path.is_file()]
    assert len(files) == 3
    for path in files:
        assert re.fullmatch(
            r"\d{4}/\d\d/\d\d/\d\d/\d\d/\d+-[0-9a-f-]{36}\.json\.gz", str(path.relative_to(tmp_path))
        )
    entries = [json.loads(gzip.decompress(path.read_bytes())) for path in files]
    assert {entry["item"] for entry in entries} == {lamp}
    assert {entry["kind"] for entry in entries} == {"created", "dimension_change"}
    assert all(
        entry["at"].startswith(path.relative_to(tmp_path).parts[0])
        for entry, path in zip(entries, files, strict=True)
    )


def test_b5_31_an_archive_that_cannot_be_written_stops_nothing(settings, tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    settings.AUDIT_FOLDER = str(blocked)
    lamp, _ = submit()
    work()
    assert dimensions(lamp)["needs_light"] == "false"
    assert (item(lamp).attempts, item(lamp).error) == (0, "")


def test_b5_31_an_archive_that_breaks_in_a_way_nobody_thought_of_stops_nothing(settings, monkeypatch):
    settings.AUDIT_FOLDER = "anywhere"
    monkeypatch.setattr(archive.gzip, "compress", lambda *_: 1 / 0)
    lamp, _ = submit()
    work()
    assert dimensions(lamp)["needs_light"] == "false"


def test_no_half_written_object_is_ever_seen(settings, tmp_path, monkeypatch):
    settings.AUDIT_FOLDER = str(tmp_path)

    def broken(self: Path, data: bytes) -> int:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", broken)
    submit()
    assert not list(tmp_path.rglob("*.json.gz"))
