"""Who may open which page: the three roles of the API, the same on the dashboards (core.access.values).

A page is read by whoever has the permission `read`, and does something for whoever has `operate`. Without a login the
answer is the login page, without the permission a 403 that says what to ask for. The permission stands on the view as
its attribute `permission`, so that a test can walk all pages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required, permission_required
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.access.values import Permission

View = Callable[..., Any]


def reads(view: View) -> View:
    """A page that shows something: GET, for viewers."""
    return _guarded(view, Permission.READ, require_safe)


def acts(view: View) -> View:
    """A button: POST, for operators."""
    return _guarded(view, Permission.OPERATE, require_POST)


def prepares(view: View) -> View:
    """A page that shows what a button will do, and the button: GET and POST, for operators."""
    return _guarded(view, Permission.OPERATE, require_http_methods(["GET", "HEAD", "POST"]))


def _guarded(view: View, permission: Permission, methods: Callable[[View], View]) -> View:
    allowed = permission_required(f"core.{permission}", raise_exception=True)(view)
    guarded: Any = methods(login_required(allowed))
    guarded.permission = permission
    return guarded  # type: ignore[no-any-return]
