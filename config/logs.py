"""Logging: structured lines, JSON unless a person watches (DEBUG), and no secret in any of them."""

from __future__ import annotations

import logging.config
from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def logging_config(*, level: str) -> dict[str, Any]:
    """Return the dictionary for logging.config: every record leaves as one JSON line on standard error."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(),
                ],
                "foreign_pre_chain": SHARED,
            },
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            # One line a request is the web server's business; Django's own would repeat every 4xx of a probe.
            "django.request": {"level": "ERROR"},
            "django.server": {"level": "WARNING"},
            "asyncio": {"level": "WARNING"},
            # At DEBUG these print what goes over the wire, tokens included.
            "github": {"level": "WARNING"},
            "urllib3": {"level": "WARNING"},
            # A line for every login and sweep; wrong passwords are warnings.
            "axes": {"level": "WARNING"},
        },
    }


def configure(config: dict[str, Any]) -> None:
    """Set up logging and structlog together (LOGGING_CONFIG)."""
    logging.config.dictConfig(config)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
