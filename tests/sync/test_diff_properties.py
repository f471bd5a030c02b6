"""What holds for every comparison, whatever the rows and the listing (Hypothesis)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync import decisions
from sync.decisions import diff_branches, diff_installations, diff_repositories, diff_threads
from sync.values import Add, BranchColumns, Listed, Listing, Refresh, Remove, ReRequest, Revive
from tests.sync import made
from tests.sync.made import HERE, Model, at

BEGAN, APPLIED, NEXT, LAST = 10, 20, 30, 60
STATES = st.sampled_from(["NEW", "UPDATED", "RE_REQUESTED", "IDLE", "PROCESSING", "PROCESSED"])
# Half of the rows was written while the listing was read.
WRITTEN = st.sampled_from([0, 9, BEGAN, BEGAN + 1])
SECONDS = st.integers(0, 9)
FLAGS = st.booleans()


@dataclass(frozen=True)
class Table:
    """One comparison: how it is made, and rows and facts for it."""

    diff: Callable[[Sequence[Any], Listing[Any]], list[Any]]
    row: st.SearchStrategy[Any]
    facts: st.SearchStrategy[Any]


pull_facts = st.builds(
    made.pull_facts,
    st.sampled_from("abcdef"),
    title=st.sampled_from(["x", "y"]),
    draft=FLAGS,
    repository_name=st.sampled_from(["tools", "Tools"]),
)
repository_facts = st.builds(
    made.repository_facts,
    st.integers(1, 6),
    private=FLAGS,
    name=st.sampled_from(["tools", "lamps"]),
    installation_id=st.sampled_from([HERE, made.ELSEWHERE, None]),
)
installation_facts = st.builds(
    made.installation_facts,
    st.integers(1, 6),
    account_login=st.sampled_from(["octo", "octopus"]),
) | st.builds(
    made.installation_facts,
    st.integers(1, 6),
    status=st.just("0"),
    suspended_date=st.sampled_from([None, at(0)]),
)
listed_installation = installation_facts.filter(lambda facts: facts.status == "1" or facts.suspended_date)
branch_facts = st.builds(lambda ref: BranchColumns(**made.PLACE, ref=ref), st.sampled_from("abcdef"))

TABLES = {
    "threads": Table(
        diff_threads,
        st.builds(
            made.pull,
            is_open=FLAGS,
            known=st.none() | SECONDS,
            facts=pull_facts,
            updated=WRITTEN,
            state=STATES,
        ),
        pull_facts,
    ),
    "branches": Table(
        diff_branches,
        st.builds(made.branch, st.sampled_from("abcdef"), exists=FLAGS, updated=WRITTEN, state=STATES),
        branch_facts,
    ),
    "repositories": Table(
        lambda rows, listing: diff_repositories(rows, listing, installation_id=HERE),
        st.builds(
            made.repository, repository_facts, removed=FLAGS, known=st.none() | SECONDS, updated=WRITTEN
        ),
        repository_facts.map(lambda facts: made.replace(facts, installation_id=HERE)),
    ),
    "installations": Table(
        diff_installations,
        st.builds(made.installation, installation_facts, updated=WRITTEN, state=STATES),
        listed_installation,
    ),
}


@st.composite
def situations(draw: st.DrawFn, table: Table, *, keyed: bool = True) -> tuple[list[Any], Listing[Any]]:
    """Draw a table's rows, one a key where its comparison gets only the current ones, and a listing."""
    rows = draw(st.lists(table.row, max_size=8, unique_by=(lambda row: row.facts.key) if keyed else None))
    rows = [made.replace(row, pk=pk) for pk, row in enumerate(rows, 1)]
    items = [Listed(facts, at(draw(SECONDS))) for facts in draw(st.lists(table.facts, max_size=8))]
    return rows, Listing.of(items, at(BEGAN))


def cases(function: Any) -> Any:
    """Run the test once a table, each with many situations of it."""

    @pytest.mark.parametrize("name", TABLES)
    @settings(max_examples=150, deadline=None)
    @given(data=st.data())
    def test(name: str, data: st.DataObject) -> None:
        table = TABLES[name]
        function(table, *data.draw(situations(table, keyed=name != "branches")))

    test.__doc__ = function.__doc__
    return test


def again(listing: Listing[Any], *, began: int) -> Listing[Any]:
    return made.replace(listing, began=at(began))


@cases
def test_after_two_rounds_nothing_changes_any_more(table, rows, listing):
    """The second round sees to the rows that were being written during the first; applying twice changes nothing."""
    model = Model(rows)
    model.apply(table.diff(list(model.rows.values()), listing), second=APPLIED)
    second = table.diff(list(model.rows.values()), again(listing, began=NEXT))
    unjudged = {row.pk for row in rows if row.updated_at >= listing.began}
    keys = {row.facts.key for row in rows if row.pk in unjudged}
    assert all(change.row.facts.key in keys for change in second if not isinstance(change, Add))
    assert not any(isinstance(change, Add) for change in second)
    model.apply(second, second=APPLIED + NEXT)
    assert table.diff(list(model.rows.values()), again(listing, began=LAST + 1)) == []


@cases
def test_rows_written_since_the_listing_began_are_never_changed(table, rows, listing):
    for change in table.diff(rows, listing):
        if getattr(getattr(change, "row", None), "removed", False):
            assert change.row.updated_at <= listing.began  # the one exception, see _removed_repository
        else:
            assert isinstance(change, Add) or change.row.updated_at < listing.began


@cases
def test_every_change_is_justified(table, rows, listing):
    stored = {row.facts.key for row in rows}
    for change in table.diff(rows, listing):
        match change:
            case Add(item):
                assert item.facts.key not in stored
                assert listing.items[item.facts.key] == item
            case Refresh(row, item) | Revive(row, item):
                assert listing.items[row.facts.key] == item
            case Remove(row):
                assert row.facts.key not in listing.items
            case ReRequest(row, _):
                assert (row.facts.key in listing.items) is not row.is_open
                assert row.processing_state in {"PROCESSING", "PROCESSED"}


@cases
def test_every_row_is_changed_once_at_most(table, rows, listing):
    pks = [change.row.pk for change in table.diff(rows, listing) if not isinstance(change, Add)]
    assert len(pks) == len(set(pks))


@cases
def test_the_order_of_a_listing_does_not_matter(table, rows, listing):
    turned = Listing.of(reversed(list(listing.items.values())), listing.began)
    assert {repr(change) for change in table.diff(rows, turned)} == {
        repr(change) for change in table.diff(rows, listing)
    }


def test_f12_there_is_no_comparison_with_a_part_of_a_listing():
    """Every comparison takes a Listing and nothing else that GitHub said.

    A Listing is made in one place (sync.services.github.listing_of), after the client has handed out every item; a
    client that cannot, raises, and there is no value then. So a partial listing yields no removal because no type
    holds one.
    """
    comparisons = [function for name, function in vars(decisions).items() if name.startswith("diff_")]
    assert len(comparisons) == 5
    for function in comparisons:
        parameters = inspect.signature(function).parameters
        assert str(parameters["listing"].annotation).startswith("Listing[")
        assert set(parameters) <= {"rows", "listing", "installation_id", "diff", "read_again"}
