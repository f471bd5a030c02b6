"""The one door to GitHub's REST API: values of githubapi.values come out, or errors of githubapi.errors."""

from __future__ import annotations

from githubapi.client.app import AppClient, GithubSettings
from githubapi.client.installation import InstallationClient
from githubapi.client.limits import Clock, Limits
from githubapi.client.usage import Usage

__all__ = ["AppClient", "Clock", "GithubSettings", "InstallationClient", "Limits", "Usage"]
