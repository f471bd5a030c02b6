"""The idle view once more, with each row's RepositoryKey, so that one repository can be asked for.

MariaDB replaces it in one statement: who reads it meanwhile misses nothing.
"""

from django.db import migrations

from core.sqlfile import SqlFile


class Migration(migrations.Migration):
    dependencies = [("idle", "0001_idle_view")]

    operations = [SqlFile("idle_view", drop=True, only="sqlite"), SqlFile("idle_view_with_key")]
