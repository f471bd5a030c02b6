"""Every state has a word and a colour, and every colour can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.models import PassRun
from idle.values import IdleStatus
from monitor import values
from monitor.models import BulkJob
from monitor.values import (
    BULK_BADGES,
    DELIVERY_BADGES,
    FRESHNESS_BADGES,
    IDLE_BADGES,
    INSTALLATION_BADGES,
    LIVENESS_BADGES,
    OUTCOME_BADGES,
    PROCESSING_BADGES,
    REPOSITORY_BADGES,
    Freshness,
    InstallationStatus,
    Liveness,
    RepositoryStatus,
    Tone,
    badge_of,
)
from webhooks.values import DeliveryStatus, ProcessingState

CSS = (Path(values.__file__).parent / "static/monitor/app.css").read_text()
LIGHT, DARK = CSS.split("@media (prefers-color-scheme: dark)")
ENOUGH = 4.5


@pytest.mark.parametrize(
    "badges, states",
    [
        (PROCESSING_BADGES, ProcessingState),
        (IDLE_BADGES, IdleStatus),
        (DELIVERY_BADGES, DeliveryStatus),
        (OUTCOME_BADGES, PassRun.Outcome),
        (INSTALLATION_BADGES, InstallationStatus),
        (REPOSITORY_BADGES, RepositoryStatus),
        (FRESHNESS_BADGES, Freshness),
        (LIVENESS_BADGES, Liveness),
        (BULK_BADGES, BulkJob.State),
    ],
)
def test_every_state_has_a_badge_with_a_word_a_colour_and_a_meaning(badges, states):
    assert list(badges) == [state.value for state in states]
    for badge in badges.values():
        assert badge.word
        assert badge.meaning.endswith(".")
        assert f".tone-{badge.tone} {{" in CSS


def test_no_two_processing_states_share_a_colour():
    assert len({badge.tone for badge in PROCESSING_BADGES.values()}) == len(ProcessingState)


def test_a_value_that_no_rule_knows_is_shown_as_such():
    assert badge_of(PROCESSING_BADGES, "").word == "(empty)"
    assert badge_of(PROCESSING_BADGES, "<b>").tone is Tone.RED


def colour(block: str, name: str) -> tuple[int, ...]:
    (digits,) = set(re.findall(rf"--{name}: #([0-9a-f]{{6}});", block))
    return tuple(bytes.fromhex(digits))


def luminance(rgb: tuple[int, ...]) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(block: str, ink: str, paper: str) -> float:
    bright, dark = sorted((luminance(colour(block, ink)), luminance(colour(block, paper))), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("block", [LIGHT, DARK], ids=["light", "dark"])
def test_every_pair_of_colours_reaches_wcag_aa(block):
    pairs = [(f"{tone}-ink", f"{tone}-paper") for tone in Tone]
    pairs += [(ink, paper) for ink in ("ink", "muted", "link") for paper in ("page", "card")]
    pairs += [("card", "blue-ink"), ("ink", "grey-paper"), ("muted", "grey-paper")]
    assert {pair: contrast(block, *pair) for pair in pairs if contrast(block, *pair) < ENOUGH} == {}
