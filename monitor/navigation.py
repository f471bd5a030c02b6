"""The pages that the bar at the top names, in its order. A new page is one line here. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One page of the bar: its name in monitor.urls, its word, and the pages that belong to it."""

    name: str
    word: str
    family: tuple[str, ...] = ()

    def is_here(self, page: str) -> bool:
        return page == self.name or page in self.family


ENTRIES: tuple[Entry, ...] = (
    Entry("overview", "Overview", ("trends",)),
    Entry("processing", "Processing", ("processing-rows", "failed")),
    Entry("idle", "Idle", ("idle-next",)),
    Entry("merges", "Merges", ("merge-verdicts",)),
    Entry("work-items", "Work items", ("work-item",)),
    Entry("repositories", "Repositories", ("repository",)),
    Entry("installations", "Installations"),
    Entry("deliveries", "Deliveries", ("delivery",)),
    Entry("passes", "Passes"),
    Entry("bulk", "Bulk", ("bulk-prepare",)),
    Entry("actions", "Actions"),
)
