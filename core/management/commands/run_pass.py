"""Run one pass by hand."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.passes import Verdict, find_pass, run_pass


class Command(BaseCommand):
    help = "Run one pass if it is due; --force runs it now (recorded as forced, and counted for its pace)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=sorted(settings.PASSES))
        parser.add_argument("--force", action="store_true", help="run even when it is not due yet")

    def handle(self, *args: Any, **options: Any) -> None:
        result = run_pass(find_pass(options["name"]), force=options["force"], actor="command line")
        if result.verdict is Verdict.FAILED:
            raise CommandError(str(result))
        self.stdout.write(str(result))
