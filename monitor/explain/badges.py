"""Each fate as people see it: a word, a colour, a meaning. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from monitor.explain.values import Fate
from monitor.values import Badge, Tone

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
