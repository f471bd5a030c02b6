"""Paths of work items."""

from __future__ import annotations

from core.api.paths import endpoint
from workqueue.api.items import ItemCancel, ItemDetail, ItemRetry, Items, ItemSubmit

urlpatterns = [
    *endpoint("work-items", Items, name="api-work-items"),
    *endpoint("work-items/<sequence:sequence>", ItemDetail, name="api-work-item"),
    *endpoint("work-items/<sequence:sequence>/retry", ItemRetry, name="api-work-item-retry"),
    *endpoint("work-items/<sequence:sequence>/cancel", ItemCancel, name="api-work-item-cancel"),
    *endpoint("work-items/<word:item_type>", ItemSubmit, name="api-work-item-submit"),
]
