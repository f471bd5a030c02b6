"""Looks count their attempts, and one that is given up on stays behind with its error."""

from django.db import migrations, models

import core.fields


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0003_failed_rows")]

    operations = [
        migrations.AddField(
            model_name="pullrequestlook",
            name="attempts",
            field=models.PositiveIntegerField(db_column="Attempts", db_default=0),
        ),
        migrations.AddField(
            model_name="pullrequestlook",
            name="error",
            field=core.fields.ShortTextField(db_column="Error", db_default=None, null=True),
        ),
        migrations.AddField(
            model_name="pullrequestlook",
            name="failed_date",
            field=core.fields.TimestampField(db_column="FailedDate", db_default=None, null=True),
        ),
        migrations.AddIndex(
            model_name="pullrequestlook",
            index=models.Index(fields=["failed_date", "due_at"], name="ix_looks_due_or_failed"),
        ),
        migrations.RemoveIndex(model_name="pullrequestlook", name="ix_looks_due"),
    ]
