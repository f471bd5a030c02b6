"""Readers of the environment, and the key that is made when none is given."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.databases import database_from_url


@pytest.mark.parametrize(
    "word, value", [("1", True), ("Yes", True), (" on ", True), ("off", False), ("", False)]
)
def test_flags(monkeypatch, word, value):
    monkeypatch.setenv("PROBE", word)
    assert env.flag("PROBE") is value


def test_a_word_that_is_no_flag_stops_the_start(monkeypatch):
    monkeypatch.setenv("PROBE", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="PROBE must be a yes or a no"):
        env.flag("PROBE")


def test_numbers(monkeypatch):
    assert env.integer("PROBE", 8000) == 8000
    monkeypatch.setenv("PROBE", "")
    assert env.integer("PROBE", 8000) == 8000
    monkeypatch.setenv("PROBE", "81x")
    with pytest.raises(ImproperlyConfigured, match="PROBE must be a whole number, not '81x'"):
        env.integer("PROBE", 8000)


def test_words(monkeypatch):
    monkeypatch.setenv("PROBE", " a, b ,,c ")
    assert env.words("PROBE") == ["a", "b", "c"]


# --- secrets ------------------------------------------------------------------------------------------------
def test_a_secret_comes_from_the_variable_or_from_its_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PROBE", " direct ")
    assert env.secret("PROBE") == "direct"
    monkeypatch.delenv("PROBE")
    (tmp_path / "secret").write_text("from the file\n")
    monkeypatch.setenv("PROBE_FILE", str(tmp_path / "secret"))
    assert env.secret("PROBE") == "from the file"
    assert env.secret("OTHER", "default") == "default"


def test_several_secrets_come_from_either_as_well(monkeypatch, tmp_path):
    (tmp_path / "secrets").write_text("new\nold, older\n")
    monkeypatch.setenv("PROBE_FILE", str(tmp_path / "secrets"))
    assert env.secret_words("PROBE") == ["new", "old", "older"]


def test_both_set_stops_the_start_and_shows_neither(monkeypatch, tmp_path):
    monkeypatch.setenv("PROBE", "hidden words")
    monkeypatch.setenv("PROBE_FILE", str(tmp_path / "secret"))
    with pytest.raises(ImproperlyConfigured, match="Set PROBE or PROBE_FILE, not both") as caught:
        env.secret("PROBE")
    assert "hidden words" not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00hidden"])
def test_an_unreadable_file_stops_the_start_and_shows_nothing(monkeypatch, tmp_path, content):
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("PROBE_FILE", str(path))
    with pytest.raises(ImproperlyConfigured, match="PROBE_FILE cannot be read") as caught:
        env.secret("PROBE")
    assert "hidden" not in str(caught.value)


def test_a_generated_key_is_kept_and_for_its_owner_only(tmp_path):
    path = tmp_path / "var" / "secret_key"
    value = env.generated_secret(path)
    assert len(value) >= 50
    assert env.generated_secret(path) == value
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_processes_that_start_together_get_one_key(tmp_path):
    for attempt in range(20):
        path = tmp_path / str(attempt) / "secret_key"
        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(env.generated_secret, [path] * 4))) == 1


# --- databases ----------------------------------------------------------------------------------------------
def test_mariadb_sessions_are_opened_as_the_rules_need_them():
    options = database_from_url("mysql://u:p@h:3306/d")["OPTIONS"]
    assert (options["charset"], options["isolation_level"]) == ("utf8mb4", "read committed")
    assert "time_zone='+00:00'" in options["init_command"]
    assert "STRICT_TRANS_TABLES" in options["init_command"]


def test_sqlite_transactions_begin_as_writers(tmp_path: Path):
    options = database_from_url(f"sqlite:///{tmp_path}/new/db.sqlite3")["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]
    assert (tmp_path / "new").is_dir()


def test_another_kind_of_database_is_refused():
    with pytest.raises(ImproperlyConfigured, match=r"mysql:// \(MariaDB 10\.6 or newer\) or sqlite:///"):
        database_from_url("postgres://u:p@h/d")
