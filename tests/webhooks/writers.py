"""Finding every place in the product's source that writes github_pull_requests.

A reader of a writer must see there what happens to IdleRetryCount, so that is what the test reads too: the source.
It looks for calls that write through a queryset, for whatever a function writes rows with, and for SQL that names
the table. What it cannot know to be another table it reports, so that a person decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webhooks import models

# Those that may import the table's model; what lies below webhooks must not (import contracts).
APPS = ("webhooks", "sync", "bot", "idle", "merge", "submissions", "agents", "monitor", "config")
QUERYSET_WRITES = frozenset(
    {
        "update",
        "create",
        "get_or_create",
        "update_or_create",
        "bulk_create",
        "bulk_update",
        "save",
        "delete",
    }
)
# Helpers of ours that write rows of the model they are given (core/statements.py, webhooks/services/).
ROW_HELPERS = frozenset(
    {
        "insert_row",
        "update_row",
        "rows.insert",
        "rows.update",
        "rows.upsert",
        "pending.re_request",
        "re_request",
    }
)
MODEL = "PullRequest"
# A function that names another table and not this one writes that other table.
OTHER_MODELS = frozenset({*models.__all__}) - {MODEL}
# A function that takes any model may be given this one.
ANY_MODEL = frozenset({"model", "queryset", "manager"})
WRITING_SQL = re.compile(
    r"\b(insert\s+into|replace\s+into|update|delete\s+from)\s+[`\"]?github_pull_requests\b", re.IGNORECASE
)
RESET = re.compile(r"""idle_retry_count["']?\]?\s*[=:]\s*0\b|IdleRetryCount\s*=\s*0\b""")


@dataclass(frozen=True)
class Site:
    """A function (or SQL file) that writes the table, as "path::function", with its source."""

    name: str
    source: str

    @property
    def resets(self) -> bool:
        return bool(RESET.search(self.source))


def sites(root: Path) -> Iterator[Site]:
    """Yield every place under the root's apps that writes, or may write, github_pull_requests."""
    for app in APPS:
        for path in sorted((root / app).rglob("*.py")):
            yield from sites_of_module(path.relative_to(root).as_posix(), path.read_text("utf-8"))
        for path in sorted((root / app).rglob("*.sql")):
            if WRITING_SQL.search(text := path.read_text("utf-8")):
                yield Site(path.relative_to(root).as_posix(), text)


def sites_of_module(path: str, text: str) -> Iterator[Site]:
    """Yield the functions of a module that write the table, each once."""
    for function in functions(ast.parse(text)):
        source = code_of(function)
        if writes(function) or WRITING_SQL.search(source):
            yield Site(f"{path}::{function.name}", source)


def code_of(function: ast.FunctionDef) -> str:
    """Return the function's code without comments and docstring: words about a reset are none."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return "\n".join(map(ast.unparse, body))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the outermost functions and the methods; what is nested in one belongs to it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from (part for part in node.body if isinstance(part, ast.FunctionDef))


def writes(function: ast.FunctionDef) -> bool:
    """Tell whether the function calls a write and has this model, or one that may be it, in its hands."""
    calls = [
        node for node in ast.walk(function) if isinstance(node, ast.Call) and is_write(ast.unparse(node.func))
    ]
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    if MODEL in names or ANY_MODEL & names:
        return bool(calls)
    return not (OTHER_MODELS & names) and any(names_updated_at(call) for call in calls)


def is_write(call: str) -> bool:
    """Tell whether a called name writes rows; dict.update() looks alike and is left to the list of known sites."""
    return call in ROW_HELPERS or (call.rpartition(".")[2] in QUERYSET_WRITES and "." in call)


def names_updated_at(call: ast.Call) -> bool:
    """Tell whether a write names UpdatedAt, as every update of an event table must, perhaps among unpacked columns."""
    return any(keyword.arg in {None, "updated_at"} for keyword in call.keywords)
