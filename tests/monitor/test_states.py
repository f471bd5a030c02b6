"""IDLE is pending in every list of states that the product has (B1.5, B1.4)."""

from __future__ import annotations

import ast
import re

import pytest
import yaml
from django.conf import settings

from monitor import forms, values
from monitor.selectors import processing
from webhooks.models import CLAIMED, PullRequest
from webhooks.values import PENDING, STATES, STATES_WITHOUT_IDLE, ProcessingState

NAMES = {state.value for state in ProcessingState}
PENDING_BUT_IDLE = {"NEW", "UPDATED", "RE_REQUESTED"}
PRODUCT = [
    path
    for app in (
        "core",
        "githubapi",
        "workqueue",
        "webhooks",
        "sync",
        "bot",
        "idle",
        "merge",
        "submissions",
        "monitor",
        "config",
        "templates",
    )
    for path in (settings.BASE_DIR / app).rglob("*.*")
]
# The enum of the seven tables that have no IDLE, as a constant and frozen in the migration that made them.
WITHOUT_IDLE = {("webhooks/values.py", "STATES_WITHOUT_IDLE")}
# From where to where a row goes, for its history: a pair and no list.
STEPS = {("bot/services/closing.py", "states")}


def state_lists(source: str) -> list[tuple[str, set[str]]]:
    """Find the literal lists, tuples, sets and mappings of states in a module, with their names."""
    found = []
    for parent in ast.walk(ast.parse(source)):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
                members = node.keys if isinstance(node, ast.Dict) else node.elts
                states = {state for state in map(state_named, members) if state}
                target = next(iter(getattr(parent, "targets", [])), getattr(parent, "target", None))
                found.append((getattr(target, "id", ""), states))
    return [(name, states) for name, states in found if len(states) > 1]


def state_named(node: ast.AST | None) -> str:
    """Return the state that a member names as ProcessingState.NEW, ProcessingState.NEW.value or "NEW"."""
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    match node:
        case ast.Attribute(value=ast.Name(id="ProcessingState"), attr=name):
            return name
        case ast.Constant(value=str(word)) if word in NAMES:
            return word
    return ""


def lacks_idle(states: set[str]) -> bool:
    return bool(states & PENDING_BUT_IDLE) and "IDLE" not in states


@pytest.mark.parametrize(
    "source",
    [
        'X = ("NEW", "UPDATED")',
        "f([ProcessingState.NEW, ProcessingState.RE_REQUESTED])",
        "X = {ProcessingState.UPDATED.value: 1, ProcessingState.PROCESSING.value: 2}",
        "class A:\n    x: set = {ProcessingState.NEW, 'UPDATED'}",
    ],
)
def test_the_search_finds_a_list_that_forgot_idle(source):
    assert [states for _, states in state_lists(source) if lacks_idle(states)]


def test_the_two_lists_that_all_others_are_built_from():
    assert ProcessingState.IDLE in PENDING
    assert set(STATES) == set(ProcessingState)
    assert set(STATES_WITHOUT_IDLE) == set(STATES) - {ProcessingState.IDLE}


def test_every_list_of_states_in_the_code_has_idle_as_pending_b1_5():
    lists = [
        (str(path.relative_to(settings.BASE_DIR)), name, states)
        for path in PRODUCT
        if path.suffix == ".py" and "migrations" not in path.parts
        for name, states in state_lists(path.read_text())
    ]
    assert {("webhooks/values.py", "PENDING"), ("monitor/values.py", "PROCESSING_BADGES")} <= {
        place[:2] for place in lists
    }
    assert {(path, name) for path, name, states in lists if lacks_idle(states)} == WITHOUT_IDLE | STEPS


def test_every_list_of_states_in_the_sql_has_idle_as_pending_b1_5():
    lists = [
        (path.name, match[1])
        for path in PRODUCT
        if path.suffix in {".sql", ".py"}
        for match in re.finditer(r"ProcessingState\s+IN\s*\(([^)]*)\)", path.read_text(), re.IGNORECASE)
    ]
    assert len(lists) >= 2 * len(CLAIMED), "the search finds nothing any more"
    assert [place for place, states in lists if "'NEW'" in states and "'IDLE'" not in states] == []


def test_no_template_tells_pending_states_apart_by_name_b1_5():
    """Templates ask for a group of states or a badge; a list of names in one would be a list to forget IDLE in."""
    templates = [path for path in PRODUCT if path.suffix in {".html", ".js"}]
    assert len(templates) > 20, "the search finds nothing any more"
    named = re.compile(r"""["'](NEW|UPDATED|RE_REQUESTED)["']""")
    found = {str(path): set(named.findall(path.read_text())) for path in templates}
    assert {path for path, states in found.items() if states} == set()


def test_the_described_counts_have_every_state_b1_5():
    described = yaml.safe_load((settings.BASE_DIR / "openapi.yaml").read_text())["components"]["schemas"]
    lists = [set(schema.get("properties", ())) | set(schema.get("enum", ())) for schema in described.values()]
    of_states = [names & NAMES for names in lists if len(names & PENDING_BUT_IDLE) > 1]
    assert of_states
    assert all(names == NAMES for names in of_states)


def test_badges_matrix_and_filters_show_idle_among_the_pending_b1_5():
    assert "Pending" in values.PROCESSING_BADGES[ProcessingState.IDLE].meaning
    assert ProcessingState.IDLE in values.STATE_GROUPS["pending"]
    assert [state for group in values.STATE_GROUPS.values() for state in group] == list(STATES)
    offered = [value for value, _ in forms.StateFilter({}).fields["state"].choices if value]
    assert offered == list(STATES)


@pytest.mark.django_db
def test_the_matrix_counts_idle_apart_and_as_pending_b1_4(see):
    from tests.factories import PullRequestFactory

    PullRequestFactory(processing_state="IDLE")
    PullRequestFactory(processing_state="NEW")
    counts = processing.count_table("pull_requests")
    assert counts.counts[ProcessingState.IDLE] == 1
    assert counts.pending == 2
    assert "1 IDLE in pull_requests" in {link.get("aria-label") for link in see("/processing/").all("a")}


def test_only_pull_requests_have_the_state_idle_b1_1():
    having = [m for m in CLAIMED if "IDLE" in dict(m._meta.get_field("processing_state").flatchoices)]
    assert having == [PullRequest]
    shown = {slug for slug, model in processing.TABLES.items() if model in having}
    assert shown == {"pull_requests"}
