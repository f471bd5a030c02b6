"""Endpoints over the event tables: processing, claims, workflow runs, releases, what happened lately."""
