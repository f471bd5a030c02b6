"""How the web process serves; gunicorn reads this file by itself when it starts in this folder."""

from __future__ import annotations

import os
from pathlib import Path

wsgi_app = "config.wsgi:application"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Threads keep a slow sender of a 25 MB delivery from holding a whole process, and keep connections alive.
worker_class = "gthread"
threads = 4
keepalive = 30
timeout = 60
# Below the launcher's and the container's grace period, so that requests end before the kill.
graceful_timeout = 20
# A heartbeat file on a slow disk makes healthy workers look dead.
if Path("/dev/shm").is_dir():  # noqa: S108 -- a memory file system, and gunicorn makes the name unpredictable
    worker_tmp_dir = "/dev/shm"  # noqa: S108 -- as above
# Nothing here is steered at run time, so no control socket lies about.
control_socket_disable = True
accesslog = None
errorlog = "-"
