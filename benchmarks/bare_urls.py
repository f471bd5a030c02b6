"""The floor of the receiver: HMAC, JSON, and one INSERT of the body by the ORM."""

from __future__ import annotations

import hashlib
import hmac
import json

from django.conf import settings
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST


class BareBody(models.Model):
    """The one table of the floor; the benchmark makes and drops it."""

    body = models.BinaryField()

    class Meta:
        app_label = "bare"
        db_table = "bare_bodies"

    def __str__(self) -> str:
        return str(self.pk)


@csrf_exempt
@require_POST
def receive(request: HttpRequest) -> JsonResponse:
    """Store the body if its signature is right."""
    body = request.body
    digest = hmac.new(settings.GITHUB_WEBHOOK_SECRETS[0].encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"sha256={digest}", request.headers["X-Hub-Signature-256"]):
        return JsonResponse({"status": "refused"}, status=401)
    action = json.loads(body)["action"]
    BareBody._default_manager.create(body=body)
    return JsonResponse({"status": action}, status=202)


urlpatterns = [path("webhooks/github", receive)]
