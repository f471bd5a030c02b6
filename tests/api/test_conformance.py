"""schemathesis calls a running server as the schema allows, and as it does not, in every role."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import timedelta

import pytest

from core import registry
from core.access import tokens
from core.access.values import ROLES
from core.api.endpoints import ExistingClientEndpoint
from core.models import PassRun
from core.setting_specs import READS_PER_MINUTE, WRITES_PER_MINUTE
from tests.api.surface import calls

# What a well-formed call may meet besides success: a role that may not, a row or a pass that is not there or cannot
# be acted upon now. schemathesis knows neither.
BESIDE_SUCCESS = ["2xx", "403", "404", "409", "422"]
OFF = "checks.negative_data_rejection.enabled = false\n"


def config(folder, spare):
    """Write schemathesis' settings: every check is on, but for what the existing client's endpoints are there for.

    All of it stands here: `--checks all` beside it would switch on again what is off for an endpoint.

    `spare` is the Sequence of the token that it may revoke: its own would end the run.
    """
    lenient = {
        f"{call.method.upper()} /{call.route}"
        for call in calls()
        if issubclass(call.view, ExistingClientEndpoint)
    }
    names = sorted(re.sub(r"<\w+:(\w+)>", r"{\1}", name) for name in lenient if not name.endswith("/"))
    parts = [
        f"[checks]\nenabled = true\npositive_data_acceptance.expected-statuses = {json.dumps(BESIDE_SUCCESS)}\n"
    ]
    # They take any body and ignore what they do not know: nothing that client sends may be refused.
    parts += [f"[[operations]]\ninclude-name = {json.dumps(name)}\n{OFF}" for name in names]
    # Whatever it makes up in the place of the Sequence, the spare one is called.
    revoking = json.dumps("DELETE /api/v1/tokens/{sequence}")
    parts.append(f"[[operations]]\ninclude-name = {revoking}\nparameters = {{ sequence = {spare} }}\n{OFF}")
    path = folder / "schemathesis.toml"
    path.write_text("\n".join(parts))
    return path


@pytest.fixture
def key(transactional_db, user_with):
    """Return a function that gives the key of a role and the Sequence of a token that may be revoked."""
    for spec in (READS_PER_MINUTE, WRITES_PER_MINUTE):
        registry.write(spec, "1000000")
    PassRun.objects.bulk_create(PassRun(name="idle", counters={"seen": 1}) for _ in range(60))

    def make(role):
        user, lifetime = user_with(role), timedelta(days=1)
        spare = tokens.make(user=user, name="spare", lifetime=lifetime).token.pk
        return tokens.make(user=user, name="conformance", lifetime=lifetime).key, spare

    return make


def run(url, made, folder, *options):
    """Run schemathesis in a process of its own, so that it shares nothing with the server but HTTP."""
    key, spare = made
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config(folder, spare)), "run"]
    command += [f"{url}/api/v1/schema", "--header", f"Authorization: token {key}"]
    command += [
        "--seed",
        "1",
        "--workers",
        "1",
        "--no-color",
        "--generation-database",
        "none",
    ]
    done = subprocess.run(
        [*command, *options], cwd=folder, capture_output=True, text=True, timeout=3_000, check=False
    )
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]


def test_a_short_conformance_run_finds_nothing(live_server, key, tmp_path):
    run(
        live_server.url, key("administrator"), tmp_path, "--phases", "examples,fuzzing", "--max-examples", "1"
    )


@pytest.mark.prove
@pytest.mark.parametrize("role", list(ROLES))
def test_a_long_conformance_run_finds_nothing(live_server, key, role, tmp_path):
    run(live_server.url, key(role), tmp_path, "--max-examples", "20")
