"""The whole reconcile by hand, slowly: every installation, then every active repository."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.passes import Verdict, run_pass
from sync import selectors
from sync.passes import SYNC_INSTALLATIONS, SYNC_REPOSITORIES


class Command(BaseCommand):
    help = (
        "Sync all installations, then every active repository, one after the other, with a pause between two. Each step is"
        " a forced run of the same pass as the schedule's, so it can be stopped and started again at any time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--pause", type=float, default=2.0, help="seconds between two repositories (default 2)")

    def handle(self, *args: Any, **options: Any) -> None:
        self._run(SYNC_INSTALLATIONS, "installations")
        total = selectors.active_repositories().count()
        for number in range(1, total + 1):
            repository = selectors.next_repository()
            if repository is None:
                break
            self._run(SYNC_REPOSITORIES, f"repository {number} of {total} ({repository.full_name})")
            time.sleep(options["pause"])
        self.stdout.write("Done.")

    def _run(self, job: Any, what: str) -> None:
        result = run_pass(job, force=True, actor="checkup")
        self.stdout.write(f"{what}: {result}")
        if result.verdict in {Verdict.PAUSED, Verdict.BUSY}:
            raise CommandError(str(result))
