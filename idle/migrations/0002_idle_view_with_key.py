"""The idle view once more, with each row's RepositoryKey, so that one repository can be asked for."""

from django.db import migrations

from core.sqlfile import ReplaceView


class Migration(migrations.Migration):
    dependencies = [("idle", "0001_idle_view")]

    operations = [ReplaceView("idle_view", "idle_view_with_key")]
