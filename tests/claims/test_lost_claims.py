"""A claim that is no longer ours changes nothing, whichever way it ends: nobody's request is swallowed."""

from __future__ import annotations

import pytest

from sandbox import payloads
from tests.claims.conftest import Taking
from tests.claims.ways import WAYS, Claimed, Way, every_table, fresh, last_line, ways
from tests.clock import DrivenClock
from tests.webhooks.hook import ALICE, PULL, SECRET, SLUG, Hook, at, pull
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.services import finishing
from webhooks.services.pending import re_request


@pytest.fixture
def hook(db: None, settings) -> Hook:
    settings.GITHUB_WEBHOOK_SECRETS, settings.GITHUB_APP_SLUG = [SECRET], SLUG
    return Hook()


@pytest.mark.parametrize("head,reads", [("a" * 40, 3), ("b" * 40, 0)])
def test_f14_a_new_head_is_asked_about_anew(hook: Hook, head, reads):
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    PullRequest.objects.update(mergeable_reads=3, updated_at=at(0))
    hook.send("pull_request", payloads.pull_request("edited", pull(head_sha=head, updated_at=at(1)), ALICE))
    assert PullRequest.objects.get().mergeable_reads == reads


@ways(WAYS)
def test_an_event_during_the_work_is_never_swallowed(hook: Hook, take: Taking, way: Way):
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    (claim,) = take().claims
    hook.send("pull_request", payloads.pull_request("synchronize", pull(updated_at=at(1)), ALICE))
    before = PullRequest.objects.values().get()
    assert not way(claim)
    assert PullRequest.objects.values().get() == before
    assert before["processing_state"] == "UPDATED"
    assert last_line().kind == "event"
    assert len(take().claims) == 1


@ways(WAYS)
@every_table
def test_a_re_request_during_the_work_is_never_swallowed(
    claimed: Claimed, clock: DrivenClock, take: Taking, way: Way, model
):
    claim = claimed(model, processing_state="UPDATED")
    re_request(model, [claim.row.pk], actor="alice")
    assert not way(claim)
    assert fresh(claim).processing_state == "RE_REQUESTED"
    # A throttled installation waits all the same.
    clock.shift(minutes=1)
    assert len(take(model).claims) == 1


@ways(WAYS)
def test_who_comes_back_after_the_hour_changes_nothing(
    claimed: Claimed, clock: DrivenClock, take: Taking, way: Way
):
    late = claimed()
    clock.shift(hours=1)
    (mine,) = take().claims
    assert not way(late)
    assert fresh(late).claim_token == mine.token
    assert finishing.finalize(mine, "done")
    assert not way(late)
    assert fresh(late).processing_state == "PROCESSED"


@ways(WAYS)
def test_a_claim_that_another_program_took_over_is_no_longer_ours(
    claimed: Claimed, clock: DrivenClock, way: Way
):
    claim = claimed()
    # Its SQL sets the date and the version, and leaves our token where it is.
    PullRequest.objects.update(processing_date=clock.shift(hours=2), updated_at=clock.now)
    assert not way(claim)
    assert fresh(claim).processing_state == "PROCESSING"


@ways(WAYS)
def test_a_claim_ends_once(claimed: Claimed, way: Way):
    claim = claimed()
    assert way(claim)
    lines = PullRequestHistory.objects.count()
    assert not any(again(claim) for again in WAYS.values())
    assert PullRequestHistory.objects.count() == lines


def test_an_event_clears_the_waiting_time_and_the_failures(hook: Hook, take: Taking):
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    (claim,) = take().claims
    finishing.fail(claim, "odd")
    assert not take()
    hook.send("pull_request", payloads.pull_request("edited", pull(updated_at=at(1)), ALICE))
    (claim,) = take().claims
    assert (claim.attempt, claim.row.processing_error) == (1, None)
