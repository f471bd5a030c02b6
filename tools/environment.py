"""The environment variables that belong to one installation, and an environment without them."""

from __future__ import annotations

import os

# What an installation's own environment says must reach neither the demo nor the tests: they would write into
# its data. PORT is left to whoever starts, LOG_LEVEL harms nobody.
PRODUCT_VARIABLES = frozenset(
    {
        "ACCESS_RULES_FILE",
        "ALLOWED_HOSTS",
        "AUDIT_FOLDER",
        "DATABASE_URL",
        "DEBUG",
        "GITHUB_API_URL",
        "GITHUB_APP_ID",
        "GITHUB_APP_PRIVATE_KEY",
        "GITHUB_APP_SLUG",
        "GITHUB_WEBHOOK_SECRETS",
        "PUBLIC_URL",
        "Q_BROKER_URL",
        "SECRET_KEY",
    }
)


def without_product() -> dict[str, str]:
    """Return our environment without any variable of the product, read directly or as NAME_FILE."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in PRODUCT_VARIABLES and name.removesuffix("_FILE") not in PRODUCT_VARIABLES
    }
