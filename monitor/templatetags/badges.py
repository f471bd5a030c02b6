"""One tag for each kind of state: a colour and a word, the same on every page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from monitor.explain.badges import ENTRY_BADGES
from monitor.values import (
    BULK_BADGES,
    DELIVERY_BADGES,
    FRESHNESS_BADGES,
    IDLE_BADGES,
    INSTALLATION_BADGES,
    LIVENESS_BADGES,
    OUTCOME_BADGES,
    PHASE_BADGES,
    PROCESSING_BADGES,
    REPOSITORY_BADGES,
    Badge,
    Tone,
    badge_of,
)

register = template.Library()

TEMPLATE = "monitor/_badge.html"


@register.inclusion_tag(TEMPLATE)
def processing_badge(state: str) -> dict[str, Any]:
    return {"badge": badge_of(PROCESSING_BADGES, state)}


@register.inclusion_tag(TEMPLATE)
def idle_badge(status: str) -> dict[str, Any]:
    return {"badge": badge_of(IDLE_BADGES, status)}


@register.inclusion_tag(TEMPLATE)
def delivery_badge(status: str) -> dict[str, Any]:
    return {"badge": badge_of(DELIVERY_BADGES, status)}


@register.inclusion_tag(TEMPLATE)
def outcome_badge(outcome: str) -> dict[str, Any]:
    return {"badge": badge_of(OUTCOME_BADGES, outcome)}


@register.inclusion_tag(TEMPLATE)
def installation_badge(status: str) -> dict[str, Any]:
    return {"badge": badge_of(INSTALLATION_BADGES, status)}


@register.inclusion_tag(TEMPLATE)
def repository_badge(status: str) -> dict[str, Any]:
    return {"badge": badge_of(REPOSITORY_BADGES, status)}


@register.inclusion_tag(TEMPLATE)
def freshness_badge(freshness: str) -> dict[str, Any]:
    return {"badge": badge_of(FRESHNESS_BADGES, freshness)}


@register.inclusion_tag(TEMPLATE)
def liveness_badge(state: str) -> dict[str, Any]:
    return {"badge": badge_of(LIVENESS_BADGES, state)}


@register.inclusion_tag(TEMPLATE)
def word_badge(word: str, tone: str, meaning: str = "") -> dict[str, Any]:
    """A badge whose word was decided elsewhere."""
    return {"badge": Badge(word, Tone(tone), meaning)}


@register.inclusion_tag(TEMPLATE)
def phase_badge(phase: str) -> dict[str, Any]:
    return {"badge": badge_of(PHASE_BADGES, phase)}


STATUS_BADGES: Mapping[str, Mapping[Any, Badge]] = {
    "bulk": BULK_BADGES,
    "idle": IDLE_BADGES,
    "repository": REPOSITORY_BADGES,
    "delivery": DELIVERY_BADGES,
    "phase": PHASE_BADGES,
}


@register.inclusion_tag(TEMPLATE)
def status_badge(kind: str, status: str) -> dict[str, Any]:
    """The badge of a status, of the kind named: for parts that several lists share."""
    return {"badge": badge_of(STATUS_BADGES[kind], status)}


@register.filter
def entry_look(kind: str) -> Badge:
    """Return how an entry of a timeline is shown: its word, tone and meaning."""
    return badge_of(ENTRY_BADGES, kind)
