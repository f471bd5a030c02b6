"""When a row was given up on, and an index that holds nothing else: the list of failed rows at a million rows."""

from typing import Any

from django.db import migrations, models
from django.db.models import F

import core.fields

# Model and table, as the names of indexes say it.
TABLES = {
    "pullrequest": "pull_requests",
    "branch": "branches",
    "comment": "comments",
    "installation": "installations",
    "issue": "issues",
    "push": "pushes",
    "repository": "repositories",
    "user": "users",
}


def mark_failed_so_far(apps: Any, schema_editor: Any) -> None:
    """Rows that count as failed already get the date of their failure. UpdatedAt stays."""
    for name in TABLES:
        rows = apps.get_model("webhooks", name).objects.using(schema_editor.connection.alias)
        failed = rows.filter(processing_state="PROCESSED", processing_error__isnull=False)
        failed.update(failed_date=F("processed_date"), updated_at=F("updated_at"))


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0002_views")]

    operations = [
        *[
            migrations.AddField(
                model_name=name,
                name="failed_date",
                field=core.fields.TimestampField(db_column="FailedDate", null=True),
            )
            for name in TABLES
        ],
        migrations.RunPython(mark_failed_so_far, migrations.RunPython.noop),
        *[
            migrations.AddIndex(
                model_name=name,
                index=models.Index(fields=["failed_date"], name=f"ix_{table}_failed"),
            )
            for name, table in TABLES.items()
        ],
    ]
