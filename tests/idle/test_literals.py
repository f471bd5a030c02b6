"""Acceptance B1.9: step, base and cap stand in the view and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BESIDE_THE_PRODUCT = {"benchmarks", "sandbox", "tests", "tools", "var", "docs", "requirements"}
THE_VIEW = "idle_status_view."
# Shown in the description of the API; nothing is decided by them.
EXAMPLES = "examples.py"
# Comparing the count with anything but another row's, turning it into days, or naming a limit of ten.
RULES = (
    re.compile(r"idle_?retry_?count[\"'`\])]*\s*(<|>)", re.IGNORECASE),
    re.compile(r"idle_?retry_?count__(lt|gt|range)e?\s*=(?!own\.)", re.IGNORECASE),
    re.compile(r"idle_?retry_?count[^\n]{0,40}\bdays?\b", re.IGNORECASE),
    re.compile(r"(cap|limit|retries|attempts)\w*[\"']?\s*(=|:|as|of)\s*10\b", re.IGNORECASE),
    re.compile(r"\b10\s+as\s+\w*(cap|limit|retries)", re.IGNORECASE),
)


def says_the_rule(text: str) -> bool:
    return any(rule.search(text) for rule in RULES)


def product_files() -> list[Path]:
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in BESIDE_THE_PRODUCT]
    return [
        path
        for folder in folders
        if not folder.name.startswith(".")
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".py", ".sql", ".html"}
        and path.name != EXAMPLES
        and not path.name.startswith(THE_VIEW)
    ]


def test_b1_9_no_other_file_knows_step_base_or_cap():
    looked_at = {path.relative_to(ROOT).parts[0] for path in product_files()}
    assert {"bot", "idle", "merge", "monitor", "sync", "templates", "webhooks", "workqueue"} <= looked_at
    assert [
        str(path.relative_to(ROOT)) for path in product_files() if says_the_rule(path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize("database", ["mariadb", "sqlite"])
def test_b1_9_the_view_knows_them(database):
    text = (ROOT / "idle" / "migrations" / "sql" / f"{THE_VIEW}{database}.up.sql").read_text("utf-8")
    assert says_the_rule(text)
    assert len(re.findall(r"\b10\b", text.partition("CREATE")[2])) == 3


@pytest.mark.parametrize(
    "line",
    [
        "if row.idle_retry_count >= limit:",
        "filter(idle_retry_count__lt=10)",
        "timedelta(days=row.idle_retry_count + 1); IdleRetryCount + 1 days",
        "RETRY_LIMIT = 10",
        "SELECT 10 AS IdleRetryLimit",
        "{{ row.idle_retry_count }} of 10 retries, limit of 10",
    ],
)
def test_the_search_finds_what_it_is_for(line):
    assert says_the_rule(line)
