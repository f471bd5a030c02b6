"""The worker: django-q2's cluster, whose tasks hear of a stop and need not be waited for to their end."""

from __future__ import annotations

import os
from typing import Any

from django_q.cluster import Cluster
from django_q.management.commands import qcluster

from core import stopping


class StoppingCluster(Cluster):  # type: ignore[misc]
    """Tells its workers of a signal first; then django-q2 ends the intake, waits for the workers, and ends itself."""

    def sig_handler(self, signum: int, frame: Any) -> None:
        stopping.ask()
        super().sig_handler(signum, frame)


class Command(qcluster.Command):  # type: ignore[misc]
    """Takes the place of django-q2's command of that name: `core` stands before it in INSTALLED_APPS."""

    def handle(self, *_: Any, **options: Any) -> None:
        if options["cluster_name"]:
            os.environ["Q_CLUSTER_NAME"] = options["cluster_name"]
        cluster = StoppingCluster()
        cluster.start()
        if options["run_once"]:
            cluster.stop()
