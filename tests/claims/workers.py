"""Worker processes, ours and an outside program's, for tests that kill them."""

from __future__ import annotations

# Claims and finishes until killed. Each row takes a moment, so that a kill finds claims half worked off.
OURS = """
import time
from webhooks.models import PullRequest
from webhooks.services.claims import claim
from webhooks.services.finishing import finalize
while True:
    batch = claim(PullRequest, worker="ours")
    for each in batch.claims:
        time.sleep(0.002)
        if finalize(each, "done"):
            print(each.row.pk, flush=True)
    time.sleep(0 if batch else 0.02)
"""
THEIRS = """
import time
from tests.contract.outsider import Outsider
outsider = Outsider("-05:00")
while True:
    outsider.begin()
    sequences = outsider.claim("github_pull_requests")
    outsider.commit()
    for sequence in sequences:
        time.sleep(0.002)
        if outsider.finalize("github_pull_requests", sequence):
            print(sequence, flush=True)
    time.sleep(0.02)
"""
