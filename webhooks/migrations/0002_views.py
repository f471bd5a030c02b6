"""The views of the table contract."""

from django.db import migrations

from core.sqlfile import SqlFile


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_tables")]

    operations = [
        SqlFile("pull_requests_processing_view"),
        SqlFile("branches_processing_view"),
        SqlFile("comments_processing_view"),
        SqlFile("installations_processing_view"),
        SqlFile("issues_processing_view"),
        SqlFile("pushes_processing_view"),
        SqlFile("repositories_processing_view"),
        SqlFile("users_processing_view"),
        SqlFile("branches_view"),
        SqlFile("release_status_view"),
    ]
