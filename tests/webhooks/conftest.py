from __future__ import annotations

from typing import Any

import pytest

from tests.webhooks.hook import SECRET, SLUG, Hook


@pytest.fixture
def hook(db: None, settings: Any) -> Hook:
    """A hook whose secret the receiver knows."""
    settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
    settings.GITHUB_APP_SLUG = SLUG
    return Hook()
