"""The parts that pages are made of. docs/decisions/0070 says how they fit together."""

from __future__ import annotations

from typing import Any

from django import template
from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from monitor.charts import Chart
from monitor.navigation import ENTRIES

register = template.Library()


@register.inclusion_tag("monitor/_navigation.html", takes_context=True)
def navigation(context: Any) -> dict[str, Any]:
    """The bar's pages, the present one marked."""
    request = context["request"]
    here = (request.resolver_match and request.resolver_match.url_name) or ""
    return {
        "entries": [(entry, entry.is_here(here)) for entry in ENTRIES],
        "may_administer": admin.site.has_permission(request),
    }


@register.simple_block_tag(takes_context=True)
def cell(context: Any, content: str, key: str) -> SafeString:
    """A cell of the page's table: its label for narrow screens and its kind come from the column."""
    column = context["table"].column(key)
    tag, scope = ("th", SafeString(' scope="row"')) if column.kind == "head" else ("td", "")
    css = "break" if column.kind == "head" else column.kind
    return format_html(
        '<{0}{1} data-label="{2}" class="{3}">{4}</{0}>', tag, scope, column.label, css, content
    )


@register.simple_block_tag
def tile(content: str, number: int | str, *, href: str = "", **attributes: str) -> SafeString:
    """A figure with its words; a link when it leads anywhere. Attributes: `id`, `size="small"`."""
    shown = f"{number:,}" if isinstance(number, int) else number
    size = attributes.pop("size", "")
    named = format_html_join("", ' {}="{}"', attributes.items())
    start = format_html('<a class="tile {}" href="{}"{}>', size, href, named)
    if not href:
        start = format_html('<div class="tile {}"{}>', size, named)
    return format_html("{}<strong>{}</strong>{}</{}>", start, shown, content, "a" if href else "div")


@register.inclusion_tag("monitor/_action.html", takes_context=True)
def action(context: Any, label: str, address: str, **options: Any) -> dict[str, Any]:
    """A button that does something: a form that posts, with the other options as hidden fields.

    Options of its own: `id` of the button, `tone` ("quiet"), `says` (for screen readers, in place of the label),
    `asks` (the label of a field "reason" that must be filled in).
    """
    own = {name: options.pop(name, "") for name in ("id", "tone", "says", "asks")}
    token = context.get("csrf_token")
    return {"label": label, "address": address, "fields": options.items(), "csrf_token": token, **own}


@register.inclusion_tag("monitor/_chart.html", takes_context=True)
def chart(context: Any, drawn: Chart) -> dict[str, Any]:
    """A chart, and the table that it is drawn from."""
    return {"chart": drawn, "now": context["now"]}
