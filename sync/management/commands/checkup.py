"""The whole reconcile by hand, slowly: every installation, then every active repository."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.passes import Verdict, find_pass, run_pass
from sync import selectors

# Seconds between two tries while the schedule's own run is at work.
PATIENCE = 5.0


class Command(BaseCommand):
    help = (
        "Sync all installations, then every active repository, one after the other, with a pause between two."
        " Each step is a forced run of the schedule's own pass, so this can be stopped and started again at any time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--pause", type=float, default=2.0, help="seconds between two repositories (default 2)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._run("sync-installations", "installations")
        total = selectors.active_repositories().count()
        for number in range(1, total + 1):
            repository = selectors.next_repository()
            if repository is None:
                break
            self._run("sync-repositories", f"repository {number} of {total}, {repository.full_name}")
            time.sleep(options["pause"])
        self.stdout.write("Done.")

    def _run(self, name: str, what: str) -> None:
        """Run the pass once nobody else runs it. What fails is said and passed over; a paused pass ends it all."""
        while (result := run_pass(find_pass(name), force=True, actor="checkup")).verdict is Verdict.BUSY:
            time.sleep(PATIENCE)
        if result.verdict is Verdict.PAUSED:
            raise CommandError(str(result))
        problem = f" {result.run.error}" if result.run and result.run.error else ""
        self.stdout.write(f"{what}: {result}{problem}")
