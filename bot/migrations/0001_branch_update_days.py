"""How many branch updates of a repository were used on its last day."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="BranchUpdateDay",
            fields=[
                (
                    "repository_id",
                    models.PositiveBigIntegerField(
                        db_column="RepositoryId", primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField(db_column="Day")),
                ("used", models.PositiveIntegerField(db_column="Used", db_default=0)),
            ],
            options={"db_table": "branch_update_days"},
        ),
    ]
