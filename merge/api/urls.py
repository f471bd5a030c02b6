"""Paths of merges."""

from __future__ import annotations

from core.api.paths import endpoint
from merge.api.merges import MergeApproval, MergeDetail, MergeRejection, MergeRetry, Merges

urlpatterns = [
    *endpoint("merges", Merges, name="api-merges"),
    *endpoint("merges/<sequence:sequence>", MergeDetail, name="api-merge"),
    *endpoint("merges/<sequence:sequence>/approve", MergeApproval, name="api-merge-approve"),
    *endpoint("merges/<sequence:sequence>/reject", MergeRejection, name="api-merge-reject"),
    *endpoint("merges/<sequence:sequence>/retry", MergeRetry, name="api-merge-retry"),
]
