"""Each fate, and each entry of a timeline, as people see it: a word, a colour, a meaning. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from monitor.explain.values import GAP, Fate
from monitor.values import Badge, Tone
from webhooks.values import HistoryKind

FATE_BADGES: Mapping[Fate, Badge] = {
    Fate.CLOSED: Badge("closed", Tone.GREY, "Closed without being merged."),
    Fate.MERGED: Badge("merged", Tone.VIOLET, "Merged: it has arrived."),
    Fate.CLAIMED: Badge("worked on", Tone.PINK, "Somebody has claimed it."),
    Fate.STALE_CLAIM: Badge("stale claim", Tone.RED, "Who claimed it went silent."),
    Fate.THROTTLED: Badge("throttled", Tone.AMBER, "GitHub wants to be left alone for a while."),
    Fate.RETRYING: Badge("trying again", Tone.AMBER, "An attempt failed, another one comes."),
    Fate.DEFERRED: Badge("put off", Tone.AMBER, "Not to be claimed before an instant."),
    Fate.NOT_CLAIMED: Badge("nobody claims", Tone.RED, "Pending while our bot does not work."),
    Fate.HEALED: Badge("healed", Tone.TEAL, "Pending: a sync made good for a missed Event."),
    Fate.NEXT_IN_LINE: Badge("next in line", Tone.TEAL, "Pending: the one before it was closed."),
    Fate.PENDING: Badge("pending", Tone.TEAL, "It waits to be claimed."),
    Fate.UNREADABLE: Badge("unreadable", Tone.RED, "Its state is none that a rule knows."),
    Fate.OUT_OF_REACH: Badge("out of reach", Tone.GREY, "GitHub does not let the App in."),
    Fate.FAILED: Badge("failed", Tone.RED, "Given up on with an error."),
    Fate.HELD: Badge("held", Tone.AMBER, "Its title says (HELD)."),
    Fate.GAVE_UP: Badge("gave up", Tone.RED, "Its Idle Retries are used up."),
    Fate.DUE: Badge("due", Tone.AMBER, "It gets one of the next Idle Retries."),
    Fate.WAITING: Badge("waiting", Tone.BLUE, "Inside its wait for the next Idle Retry."),
    Fate.RESTING: Badge("resting", Tone.GREEN, "Processed, and nothing is to be done."),
}

ENTRY_BADGES: Mapping[str, Badge] = {
    HistoryKind.EVENT: Badge("Event", Tone.BLUE, "GitHub said so."),
    HistoryKind.ECHO: Badge("Echo", Tone.GREY, "Our own work, reported back by GitHub."),
    HistoryKind.STALE: Badge("Stale Event", Tone.GREY, "An Event older than what was known."),
    HistoryKind.IDLE_RETRY: Badge("Idle Retry", Tone.AMBER, "The idle pass woke it."),
    HistoryKind.CLAIM: Badge("Claim", Tone.PINK, "A worker took it."),
    HistoryKind.FINALIZE: Badge("Done", Tone.GREEN, "A worker finished with it."),
    HistoryKind.DEFER: Badge("Put off", Tone.AMBER, "It went back, to be claimed again."),
    HistoryKind.FAIL: Badge("Failure", Tone.RED, "An attempt failed."),
    HistoryKind.RE_REQUEST: Badge("Re-request", Tone.VIOLET, "To be looked at again."),
    HistoryKind.CLOSE: Badge("Closed", Tone.GREY, "GitHub says it is closed."),
    HistoryKind.REOPEN: Badge("Reopened", Tone.BLUE, "GitHub says it is open again."),
    HistoryKind.BRANCH_UPDATE: Badge("Branch update", Tone.TEAL, "Its base was merged into its branch."),
    HistoryKind.LOOK: Badge("Look", Tone.TEAL, "It was considered without becoming pending."),
    HistoryKind.NOTIFICATION: Badge("Notification", Tone.VIOLET, "People were told, or no longer."),
    HistoryKind.SYNC: Badge("Sync", Tone.TEAL, "A scheduled sync compared it with GitHub."),
    HistoryKind.RENAME: Badge("Rename", Tone.GREY, "Its repository has a new name."),
    HistoryKind.RESET: Badge("Reset", Tone.VIOLET, "A person had its Idle Retries counted afresh."),
    HistoryKind.MERGE_VERDICT: Badge("Merge verdict", Tone.VIOLET, "Whether it may be merged."),
    GAP: Badge("Gap", Tone.GREY, "Somebody wrote the row who leaves no history."),
}
