"""Bring the database to this version: what every start and every deploy runs first."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from core.registry import add_missing_rows
from core.schedules import apply_schedules


class Command(BaseCommand):
    help = "Apply migrations, the schedule table and the rows of known Settings. Safe to run at any time, twice too."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        schedules = apply_schedules()
        added = add_missing_rows()
        self.stdout.write(f"Schedules: {schedules}. Settings rows added: {added}.")
