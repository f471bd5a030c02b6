"""`make setup` is quick when nothing changed, and goes on with SQLite where the driver cannot be built."""

from __future__ import annotations

import json

import pytest

from tools import install


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with an environment that pip works in; the list holds the locks that were installed."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    installed: list[str] = []

    def pip(*arguments: str, quiet: bool = False) -> bool:
        if arguments[0] == "install":
            installed.append(arguments[-1])
        return True

    monkeypatch.setattr(install, "PYTHON", python)
    monkeypatch.setattr(install, "STAMP", tmp_path / "setup.json")
    monkeypatch.setattr(install, "pip", pip)
    monkeypatch.setattr(install, "driver_can_be_built", lambda: True)
    return installed


def test_the_first_run_installs_development_and_driver(machine):
    assert install.main() == 0
    assert machine == ["requirements/dev.txt", "requirements/mariadb.txt"]


def test_the_second_run_installs_nothing(machine):
    install.main()
    machine.clear()
    assert install.main() == 0
    assert machine == []


def test_a_changed_lock_is_installed(machine):
    install.main()
    machine.clear()
    install.STAMP.write_text(json.dumps({"fingerprint": "of another lock", "driver": True}))
    install.main()
    assert machine == ["requirements/dev.txt", "requirements/mariadb.txt"]


def test_without_a_client_library_it_says_what_to_install_and_goes_on(machine, monkeypatch, capsys):
    monkeypatch.setattr(install, "driver_can_be_built", lambda: False)
    assert install.main() == 0
    assert machine == ["requirements/dev.txt"]
    assert "apt-get install libmariadb-dev pkg-config build-essential" in capsys.readouterr().out


def test_the_driver_is_built_once_that_becomes_possible(machine, monkeypatch):
    monkeypatch.setattr(install, "driver_can_be_built", lambda: False)
    install.main()
    machine.clear()
    monkeypatch.setattr(install, "driver_can_be_built", lambda: True)
    assert install.main() == 0
    assert machine == ["requirements/mariadb.txt"]


def test_a_failed_install_is_not_taken_for_done(machine, monkeypatch):
    monkeypatch.setattr(install, "pip", lambda *arguments, quiet=False: arguments[0] != "install")
    assert install.main() == 1
    assert not install.STAMP.exists()


def test_an_older_python_gets_a_sentence(machine, monkeypatch, capsys):
    monkeypatch.setattr(install, "MINIMUM", (99, 0))
    assert install.main() == 1
    assert "Python 3.11 or newer is needed" in capsys.readouterr().err
    assert machine == []
