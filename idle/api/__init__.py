"""Endpoints over the idle view."""
