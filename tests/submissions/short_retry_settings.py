"""The product, with the mistake of field case F04: messages come again while their task still runs."""

from __future__ import annotations

from config.settings import *  # noqa: F403 -- what settings modules of Django are made of
from config.settings import Q_CLUSTER

RETRY = 3
Q_CLUSTER = Q_CLUSTER | {"retry": RETRY}
