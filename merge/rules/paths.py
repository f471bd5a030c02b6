"""Which paths are documents: the one list.

What a machine may merge without a person must not be able to change what any machine does: neither a build, nor a
test, nor a site's generator, nor the instructions of a coding assistant.
"""

from __future__ import annotations

import unicodedata

# Anywhere, in any letter case.
DOCUMENT_EXTENSIONS = frozenset({"md", "rst", "adoc"})

# These names only, as .txt or without an extension. So requirements.txt, constraints.txt, CMakeLists.txt and
# robots.txt are none, nor is conf.py below docs/.
PLAIN_DOCUMENTS = frozenset({"readme", "license", "copying", "notice", "authors", "changelog"})
PLAIN_EXTENSIONS = frozenset({"", "txt"})

# Instructions to machines, though they look like documents: AGENTS.md, CLAUDE.local.md, copilot-instructions.md, ...
MACHINE_NAMES = frozenset({"agents", "claude", "gemini", "skill"})
MACHINE_ENDING = "instructions"
MACHINE_FOLDERS = frozenset({".github", ".claude", ".cursor"})


def is_document(path: str) -> bool:
    """Tell whether a path, as GitHub lists it, is a document for people."""
    *folders, name = path.casefold().split("/")
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    if not _is_plain_path(path) or not stem or _is_for_machines(folders, stem):
        return False
    return extension in DOCUMENT_EXTENSIONS or (extension in PLAIN_EXTENSIONS and stem in PLAIN_DOCUMENTS)


def _is_plain_path(path: str) -> bool:
    """Refuse what no ordinary listing holds: steps upwards, empty parts, back-slashes, invisible characters."""
    parts = path.split("/")
    visible = all(unicodedata.category(character)[0] != "C" for character in path)
    return visible and "\\" not in path and all(part not in {"", ".", ".."} for part in parts)


def _is_for_machines(folders: list[str], stem: str) -> bool:
    named = stem.partition(".")[0] in MACHINE_NAMES or stem.endswith(MACHINE_ENDING)
    return named or not MACHINE_FOLDERS.isdisjoint(folders)
