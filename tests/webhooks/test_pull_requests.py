"""Events that carry a pull request, and the row they write."""

from __future__ import annotations

import pytest

from sandbox import payloads
from tests.clock import DrivenClock
from tests.webhooks.hook import ALICE, OTHER_BOT, OUR_BOT, PULL, Hook, at, pull
from webhooks.models import Delivery, PullRequest, PullRequestHistory, PullRequestLook
from webhooks.values import ProcessingState

ACTIONS = (
    "assigned auto_merge_disabled auto_merge_enabled closed converted_to_draft demilestoned dequeued edited enqueued "
    "labeled locked milestoned opened ready_for_review reopened review_request_removed review_requested synchronize "
    "unassigned unlabeled unlocked"
).split()


def row() -> PullRequest:
    return PullRequest.objects.get(node_id=PULL.node_id)


def finish(**columns: object) -> None:
    """Let a bot have processed the row, with three Idle Retries behind it."""
    defaults = {"processing_state": "PROCESSED", "idle_retry_count": 3, "updated_at": at(0)}
    PullRequest.objects.update(**(defaults | columns))


def test_a_new_pull_request_is_a_new_row_with_its_facts(hook: Hook) -> None:
    answer = hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    assert answer.status_code == 202
    found = row()
    assert (found.processing_state, found.state, found.merged) == ("NEW", "OPEN", False)
    assert (found.repository_owner, found.repository_name, found.repository_id) == ("octo", "tools", 4242)
    assert (found.number, found.title, found.sender, found.ref) == (5, "Add a lamp", "alice", "lamp")
    assert (found.head_sha, found.installation_id, found.github_updated_at) == ("a" * 40, 7, at(0))
    assert (found.sender_login, found.sender_id, found.hook_id) == ("alice", 71, hook.hook_id)
    assert found.webhooks_receiver_version.startswith("pullkeeper ")
    assert str(found.delivery_id) == found.delivery_id_text == Delivery.objects.get().guid


@pytest.mark.parametrize("action", ACTIONS)
def test_b1_29_every_action_resets_the_idle_retries_and_makes_the_row_pending(
    hook: Hook, action: str
) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish()
    state = "closed" if action == "closed" else "open"
    answer = hook.send(
        "pull_request", payloads.pull_request(action, pull(updated_at=at(9), state=state), ALICE)
    )
    assert answer.status_code == 202
    assert (row().processing_state, row().idle_retry_count) == ("UPDATED", 0)


@pytest.mark.parametrize(
    "before, after",
    [
        ("NEW", "NEW"),
        ("UPDATED", "UPDATED"),
        ("RE_REQUESTED", "UPDATED"),
        ("IDLE", "UPDATED"),
        ("PROCESSING", "UPDATED"),
    ],
)
def test_an_event_takes_a_row_from_any_state_to_a_pending_one(hook: Hook, before: str, after: str) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish(
        processing_state=before,
        claim_token="t",
        claimed_from="NEW",
        processing_attempts=4,
        processing_error="x",
    )
    hook.send("pull_request", payloads.pull_request("edited", pull(updated_at=at(1)), ALICE))
    found = row()
    assert found.processing_state == after
    assert (found.claim_token, found.claimed_from, found.processing_date) == (None, None, None)
    assert (found.processing_attempts, found.processing_error, found.not_before) == (0, None, None)


def test_an_event_moves_updated_at_even_when_no_fact_changes(hook: Hook, clock: DrivenClock) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    later = clock.shift(hours=5)
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    assert row().updated_at == later


def test_f03_an_older_event_does_not_undo_a_merge(hook: Hook) -> None:
    merged = pull(state="closed", merged=True, updated_at=at(5), head_sha="b" * 40, title="New title")
    hook.send("pull_request", payloads.pull_request("closed", merged, ALICE))
    PullRequest.objects.update(processing_state=ProcessingState.PROCESSED, updated_at=at(0))
    answer = hook.send("pull_request", payloads.pull_request("synchronize", pull(updated_at=at(3)), ALICE))
    found = row()
    assert answer.json()["status"] == "stale"
    assert (found.state, found.merged, found.processing_state) == ("CLOSED", True, "PROCESSED")
    assert (found.head_sha, found.title, found.updated_at) == ("b" * 40, "New title", at(0))


def test_f03_a_true_reopening_opens_an_unmerged_pull_request(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("closed", pull(state="closed", updated_at=at(5)), ALICE))
    hook.send("pull_request", payloads.pull_request("reopened", pull(updated_at=at(60)), ALICE))
    assert (row().state, row().merged) == ("OPEN", False)
    kinds = list(PullRequestHistory.objects.values_list("kind", flat=True))
    assert kinds == ["event", "reopen"]


def test_f03_merged_is_final_whatever_a_later_payload_says(hook: Hook) -> None:
    merged = pull(state="closed", merged=True, updated_at=at(5))
    hook.send("pull_request", payloads.pull_request("closed", merged, ALICE))
    hook.send("pull_request", payloads.pull_request("labeled", pull(updated_at=at(50)), ALICE))
    assert (row().state, row().merged) == ("CLOSED", True)


def test_f03_within_one_second_only_a_reopening_opens(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("closed", pull(state="closed", updated_at=at(5)), ALICE))
    hook.send("pull_request", payloads.pull_request("synchronize", pull(updated_at=at(5)), ALICE))
    assert row().state == "CLOSED"
    hook.send("pull_request", payloads.pull_request("reopened", pull(updated_at=at(5)), ALICE))
    assert row().state == "OPEN"


def test_f03_a_late_closing_that_says_merged_is_believed(hook: Hook) -> None:
    """A review's short form said closed, but not merged; the closing itself comes after it."""
    closed = pull(state="closed", updated_at=at(9))
    hook.send("pull_request", payloads.pull_request("labeled", closed, ALICE))
    hook.send(
        "pull_request",
        payloads.pull_request("closed", pull(state="closed", merged=True, updated_at=at(5)), ALICE),
    )
    assert row().merged is True


def test_a_stale_event_still_makes_an_open_row_pending_but_keeps_its_facts(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("edited", pull(title="Newer", updated_at=at(9)), ALICE))
    finish()
    hook.send("pull_request", payloads.pull_request("edited", pull(title="Older", updated_at=at(2)), ALICE))
    found = row()
    assert (found.title, found.processing_state, found.idle_retry_count) == ("Newer", "UPDATED", 0)
    assert found.github_updated_at == at(9)


def test_a_row_of_an_outside_writer_takes_any_event_as_newer(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish(github_updated_at=None)
    hook.send("pull_request", payloads.pull_request("edited", pull(title="Mine", updated_at=at(-9)), ALICE))
    assert row().title == "Mine"


def test_an_echo_updates_facts_and_nothing_more(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish()
    answer = hook.send("pull_request", payloads.pull_request("synchronize", pull(head_sha="c" * 40), OUR_BOT))
    found = row()
    assert answer.json()["status"] == "echo"
    assert (found.head_sha, found.processing_state, found.idle_retry_count) == ("c" * 40, "PROCESSED", 3)
    assert found.updated_at == at(0)


@pytest.mark.parametrize("action", ["opened", "reopened", "closed"])
def test_the_beginning_and_end_of_a_pull_request_are_never_echoes(hook: Hook, action: str) -> None:
    state = "closed" if action == "closed" else "open"
    hook.send("pull_request", payloads.pull_request(action, pull(state=state), OUR_BOT))
    assert row().processing_state == "NEW"


def test_a_row_that_an_echo_creates_is_born_processed(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("labeled", PULL, OUR_BOT))
    assert row().processing_state == "PROCESSED"


def test_without_a_slug_no_event_is_an_echo(hook: Hook, settings) -> None:
    settings.GITHUB_APP_SLUG = ""
    hook.send("pull_request", payloads.pull_request("labeled", PULL, OUR_BOT))
    assert row().processing_state == "NEW"


def test_f21_other_bots_count_as_users(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish()
    answer = hook.send(
        "pull_request", payloads.pull_request("synchronize", pull(updated_at=at(1)), OTHER_BOT)
    )
    assert answer.json()["status"] == "applied"
    assert (row().processing_state, row().idle_retry_count) == ("UPDATED", 0)


def test_the_bots_login_matches_in_any_letter_case(hook: Hook, settings) -> None:
    settings.GITHUB_APP_SLUG = "PullKeeper-DEMO"
    hook.send("pull_request", payloads.pull_request("labeled", PULL, OUR_BOT))
    assert row().processing_state == "PROCESSED"


def test_a_persons_review_re_requests_and_resets(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish()
    hook.send("pull_request_review", payloads.pull_request_review("submitted", pull(updated_at=at(4)), ALICE))
    assert (row().processing_state, row().idle_retry_count) == ("RE_REQUESTED", 0)
    assert not PullRequestLook.objects.exists()


def test_a_bots_review_asks_for_a_look_only(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    finish()
    hook.send(
        "pull_request_review", payloads.pull_request_review("submitted", pull(updated_at=at(4)), OTHER_BOT)
    )
    assert (row().processing_state, row().idle_retry_count, row().updated_at) == ("PROCESSED", 3, at(0))
    assert PullRequestLook.objects.get().pull_request_sequence == row().pk


def test_a_review_keeps_merged_which_its_short_form_does_not_have(hook: Hook) -> None:
    merged = pull(state="closed", merged=True, updated_at=at(5))
    hook.send("pull_request", payloads.pull_request("closed", merged, ALICE))
    hook.send(
        "pull_request_review", payloads.pull_request_review("dismissed", replace_time(merged, 9), ALICE)
    )
    assert row().merged is True


def replace_time(item, second):
    return pull(state=item.state, merged=item.merged, updated_at=at(second))


def test_auto_merge_is_kept_with_the_instant_it_was_turned_on(hook: Hook, clock: DrivenClock) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    on = clock.shift(minutes=1)
    armed = pull(auto_merge=True, updated_at=at(1))
    hook.send("pull_request", payloads.pull_request("auto_merge_enabled", armed, ALICE))
    clock.shift(minutes=1)
    hook.send(
        "pull_request", payloads.pull_request("labeled", pull(auto_merge=True, updated_at=at(2)), ALICE)
    )
    assert (row().auto_merge_enabled, row().auto_merge_enabled_at) == (True, on)
    hook.send("pull_request", payloads.pull_request("auto_merge_disabled", pull(updated_at=at(3)), ALICE))
    assert (row().auto_merge_enabled, row().auto_merge_enabled_at) == (False, None)


def test_f13_a_deleted_fork_and_a_ghost_author_are_normal(hook: Hook) -> None:
    payload = payloads.pull_request("opened", pull(fork_deleted=True, author=None), None)
    payload["pull_request"]["head"]["user"] = None
    assert hook.send("pull_request", payload).status_code == 202
    found = row()
    assert (found.sender, found.sender_login, found.ref) == ("ghost", None, "lamp")


@pytest.mark.parametrize(
    "title",
    [
        "x" * 250 + " 👨‍👩‍👧‍👦",
        "half \ud83d a pair",
        "nul \0 byte",
        "\u202eright to left",
        "é" * 70_000,
        "",
        "  spaces  ",
    ],
)
def test_f27_every_title_is_stored(hook: Hook, title: str) -> None:
    assert (
        hook.send("pull_request", payloads.pull_request("opened", pull(title=title), ALICE)).status_code
        == 202
    )
    stored = row().title
    assert len(stored.encode()) <= 65_535
    if len(title) < 1000 and "\ud83d" not in title and "\0" not in title:
        assert stored == title
    if len(title) > 1000:
        assert stored.endswith("é…")


def test_f27_a_long_branch_is_stored_whole(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", pull(head_ref="r" * 300), ALICE))
    assert row().ref == "r" * 300


def test_an_unusable_pull_request_is_recorded_with_the_reason(hook: Hook) -> None:
    payload = payloads.pull_request("opened", PULL, ALICE)
    payload["pull_request"]["id"] = 2**63
    answer = hook.send("pull_request", payload)
    assert answer.status_code == 422
    kept = Delivery.objects.get()
    assert (kept.status, kept.error) == ("failed", answer.json()["detail"])
    assert "pull_request.id" in kept.error
    assert not PullRequest.objects.exists()
