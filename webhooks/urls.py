"""Paths of the receiver."""

from __future__ import annotations

from django.urls import path

from webhooks import views

urlpatterns = [path("github", views.github, name="github-webhook")]
