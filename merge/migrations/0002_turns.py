import core.fields
import core.functions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("merge", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name="Turn",
            fields=[
                (
                    "key",
                    core.fields.ExactCharField(
                        db_column="Name", max_length=64, primary_key=True, serialize=False
                    ),
                ),
                (
                    "taken_at",
                    core.fields.TimestampField(
                        db_column="TakenAt", db_default=core.functions.CurrentTimestamp()
                    ),
                ),
            ],
            options={
                "db_table": "merge_turns",
                "indexes": [models.Index(fields=["taken_at"], name="ix_merge_turns_taken")],
            },
        ),
    ]
