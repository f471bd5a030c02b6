"""Bring the database to this version: what every start and every deploy runs first."""

from __future__ import annotations

from typing import Any

from django.core.checks import CRITICAL, Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS

from core.checks import SESSION
from core.registry import add_missing_rows
from core.schedules import apply_schedules


class Command(BaseCommand):
    help = "Apply migrations, the schedule table and the rows of known Settings. Safe at any time, twice too."

    def handle(self, *args: Any, **options: Any) -> None:
        # Nothing may be written through a session that changes what is written (raises SystemCheckError).
        self.check(tags=[SESSION], databases=[DEFAULT_DB_ALIAS])
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        schedules = apply_schedules()
        added = add_missing_rows()
        # What is wrong with the tables is said at every start; it is for a person to mend, and stops nothing.
        self.check(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS], fail_level=CRITICAL)
        self.stdout.write(f"Schedules: {schedules}. Settings rows added: {added}.")
