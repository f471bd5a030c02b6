"""The three roles, as groups. Memberships are for people to give: nobody has a role by default."""

from __future__ import annotations

from typing import Any

from django.db import migrations

PERMISSIONS = {
    "read": "May read over the API",
    "process": "May claim and finalize rows",
    "operate": "May run passes, retry and approve",
    "admin": "May manage tokens and see access rules",
}
ROLES = {
    "viewer": ["read"],
    "operator": ["read", "process", "operate"],
    "administrator": ["read", "process", "operate", "admin"],
}


def make_roles(apps: Any, _: Any) -> None:
    # Django makes permissions only after the last migration, so those needed here are made now; it keeps them.
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="core", model="apiaccess"
    )
    Permission = apps.get_model("auth", "Permission")
    held = {
        codename: Permission.objects.get_or_create(
            content_type=content_type, codename=codename, defaults={"name": name}
        )[0]
        for codename, name in PERMISSIONS.items()
    }
    for name, codenames in ROLES.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        group.permissions.add(*(held[codename] for codename in codenames))


def take_permissions_back(apps: Any, _: Any) -> None:
    # The groups stay: people were made members of them, and a step back must not lose that.
    apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="core", content_type__model="apiaccess"
    ).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0002_access"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make_roles, take_permissions_back)]
