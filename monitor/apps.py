"""Dashboards: they read everything and own nothing."""

from __future__ import annotations

from django.apps import AppConfig


class MonitorConfig(AppConfig):
    name = "monitor"
