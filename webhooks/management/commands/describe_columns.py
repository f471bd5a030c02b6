"""Write the description of the tables that the contract's checks go by."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from webhooks.contract.check import DESCRIPTION_FILE, is_prepared
from webhooks.contract.description import to_text
from webhooks.contract.live import describe

HEAD = """\
# The tables and views of the contract on MariaDB, as `manage.py describe_columns --write` found them.
# The suite and `manage.py check --database default` compare the live ones with this file.
# Fields: name | type | null | default | extra | collation; a view has names only.
"""


class Command(BaseCommand):
    help = "Print the live tables of the contract (MariaDB); --write keeps that as what they should be."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help="write the file that the checks read")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "mysql":
            raise CommandError("Only MariaDB has all that is described; DATABASE_URL names another database.")
        if not is_prepared(connection):
            raise CommandError("Apply all migrations first: manage.py prepare.")
        text = HEAD + to_text(describe(connection))
        if options["write"]:
            DESCRIPTION_FILE.write_text(text, encoding="utf-8")
        else:
            self.stdout.write(text, ending="")
