"""What the admins of all apps are built of."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import cached_property

# Counting millions of rows for a page of fifty would take longer than the page: a list ends here.
MOST_LISTED = 5_000


class CappedPaginator(Paginator):
    """Counts no further than MOST_LISTED rows."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return len(rows.order_by().values_list("pk", flat=True)[:MOST_LISTED])


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the product writes: listed by their key, never counted whole, and never changed here."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    # Facets count every value of a filter.
    show_facets = admin.ShowFacets.NEVER
    ordering = ["-pk"]
    # Any other order would sort the whole table.
    sortable_by = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
