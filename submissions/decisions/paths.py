"""Which paths and branch names a submission may bear; and which paths are blocked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from fnmatch import translate

LONGEST_PATH = 1024
LONGEST_NAME = 255
LONGEST_BRANCH = 244

# https://git-scm.com/docs/git-check-ref-format
_BAD_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
# Control and format characters: invisible, and some file systems take ".g<invisible>it" for ".git".
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def path_fault(path: str) -> str:
    """Return what is wrong with a file's path, "" if nothing is."""
    names = path.split("/")
    faults = (
        (not path, "The path is empty."),
        (len(path.encode(errors="replace")) > LONGEST_PATH, f"The path is longer than {LONGEST_PATH} bytes."),
        (path.startswith("/"), "The path must be relative to the root of the repository."),
        ("\\" in path, "Folders are separated by /, and a backslash is not taken."),
        (any(not name for name in names), "The path has an empty part."),
        (any(name in {".", ".."} for name in names), "The path may not contain . or .. as a part."),
        (any(_is_invisible(letter) for letter in path), "The path holds a character that nobody can see."),
        (any(name != name.strip() for name in names), "A part of the path begins or ends with white space."),
        (
            any(len(name.encode()) > LONGEST_NAME for name in _encodable(names)),
            "A part of the path is too long.",
        ),
        (any(_is_git(name) for name in names), "The path leads into Git's own folder."),
    )
    return next((sentence for applies, sentence in faults if applies), "")


def branch_fault(name: str) -> str:
    """Return why Git would not take a branch's name, "" if it would."""
    parts = name.split("/")
    faults = (
        (not name, "The name of the branch is empty."),
        (
            len(name.encode(errors="replace")) > LONGEST_BRANCH,
            f"The name is longer than {LONGEST_BRANCH} bytes.",
        ),
        (name.startswith("refs/"), "Give the branch's short name, without refs/heads/."),
        (any(_is_invisible(letter) for letter in name), "The name holds a character that nobody can see."),
        (bool(_BAD_IN_REF.search(name)), "The name holds what Git takes in no branch's name."),
        (name.startswith("-") or name == "@", "Git takes no branch of this name."),
        (any(not part or part.startswith(".") or part.endswith(".lock") for part in parts), _BAD_PART),
        (name.endswith("."), "A branch's name may not end with a dot."),
    )
    return next((sentence for applies, sentence in faults if applies), "")


def blocked_by(path: str, patterns: Iterable[str]) -> str:
    """Return the first pattern that blocks a path, "" if none does.

    A pattern is compared with the whole path, whatever the letter case; `*` and `?` match the slash, too.
    """
    folded = _folded(path)
    return next((pattern for pattern in patterns if re.match(translate(_folded(pattern)), folded)), "")


def patterns_in(setting: str) -> tuple[str, ...]:
    """Return the patterns of a Setting: separated by commas or line ends."""
    return tuple(part.strip() for part in re.split(r"[,\n]", setting) if part.strip())


_BAD_PART = "A part of the branch's name is empty, begins with a dot or ends with .lock."


def _folded(text: str) -> str:
    # Compatibility forms first: a full-width letter is another path for Git and the same for a careless reader.
    return unicodedata.normalize("NFKC", text).casefold()


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in _INVISIBLE


def _is_git(name: str) -> bool:
    # NTFS knows .git as git~1 and ignores dots and blanks at a name's end.
    return _folded(name).rstrip(". ") in {".git", "git~1"}


def _encodable(names: Iterable[str]) -> Iterable[str]:
    return (name.encode(errors="replace").decode() for name in names)
