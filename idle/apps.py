"""Idle retries."""

from __future__ import annotations

from django.apps import AppConfig


class IdleConfig(AppConfig):
    name = "idle"
