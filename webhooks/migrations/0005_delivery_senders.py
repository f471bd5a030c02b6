"""Whose Deliveries: the feed of one sender, and who sends most, without reading bodies."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0004_look_attempts")]

    operations = [
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["sender_login", "sequence"], name="ix_deliveries_sender"),
        ),
    ]
