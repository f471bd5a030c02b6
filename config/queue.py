"""django-q2: a doorbell. Work itself is in our tables, so a lost, doubled or late message does no harm."""

from __future__ import annotations

from typing import Any

CLUSTER_NAME = "pullkeeper"


def queue_config(*, broker_url: str) -> dict[str, Any]:
    """Return Q_CLUSTER: on the database unless a Redis broker is named. core.checks holds the limits to each other."""
    common: dict[str, Any] = {
        "name": CLUSTER_NAME,
        "workers": 2,
        # Messages waiting in a worker's memory already use up their retry time, so few may wait there.
        "queue_limit": 2,
        "bulk": 1,
        "poll": 1,
        # A pass stops itself after 180 s; the cluster kills it after 240 s; only then may its message come again.
        "timeout": 240,
        "retry": 900,
        "ack_failures": True,
        "max_attempts": 1,
        "catch_up": False,
        "recycle": 200,
        "max_rss": 400_000,
        "save_limit": 200,
        "scheduler": True,
    }
    return common | ({"redis": broker_url} if broker_url else {"orm": "default"})
