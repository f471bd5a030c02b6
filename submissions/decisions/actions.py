"""Whether file actions make sense, each by itself and all together, before anybody is asked for anything."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Sequence

from submissions.decisions.paths import path_fault
from submissions.values import MODES, Change, Encoding, FileAction

MOST_ACTIONS = 300
LARGEST_FILE = 1024 * 1024
LARGEST_SUBMISSION = 4 * 1024 * 1024

_BRINGS_CONTENT = frozenset({Change.CREATE, Change.UPDATE})


def content_of(action: FileAction) -> bytes:
    """Return the content that an action brings; raises ValueError for text that is none."""
    if action.content is None:
        return b""
    if action.encoding is Encoding.TEXT:
        return action.content.encode()
    try:
        return base64.b64decode(action.content, validate=True)
    except binascii.Error as error:
        raise ValueError(f"The content is not base64: {error}.") from None


def faults_of(actions: Sequence[FileAction]) -> dict[int, str]:
    """Return what is wrong by the action's position, of several faults of one action the first; empty = all is well."""
    if len(actions) > MOST_ACTIONS:
        return {MOST_ACTIONS: f"At most {MOST_ACTIONS} files can be changed by one submission."}
    found = {position: fault for position, action in enumerate(actions) if (fault := _fault(action))}
    return found or dict(_clashes(actions)) or _too_large(actions)


def _fault(action: FileAction) -> str:
    return next((fault for path in action.paths if (fault := path_fault(path))), "") or _wrong_members(action)


def _wrong_members(action: FileAction) -> str:
    moves, has_content = action.action is Change.MOVE, action.content is not None
    faults = (
        (
            action.action in _BRINGS_CONTENT and not has_content,
            f"A {action.action} needs the file's content.",
        ),
        (action.action is Change.DELETE and has_content, "A delete takes no content."),
        (action.action is Change.DELETE and bool(action.mode), "A delete takes no mode."),
        (moves and not action.previous_path, "A move needs previous_path: where the file is now."),
        (not moves and bool(action.previous_path), "Only a move takes previous_path."),
        (moves and action.path == action.previous_path, "A move leads somewhere else."),
        (bool(action.mode) and action.mode not in MODES, f"A mode is one of {', '.join(MODES)}."),
    )
    return next((sentence for applies, sentence in faults if applies), "") or _wrong_content(action)


def _wrong_content(action: FileAction) -> str:
    try:
        size = len(content_of(action))
    except ValueError as error:
        return "The content is no text." if isinstance(error, UnicodeError) else str(error)
    return "" if size <= LARGEST_FILE else f"A file may have {LARGEST_FILE} bytes, this one has {size}."


def _clashes(actions: Sequence[FileAction]) -> Iterator[tuple[int, str]]:
    """Yield the actions that touch what another one touches, or need a folder where another one makes a file."""
    times = Counter(path for action in actions for path in action.paths)
    written = {action.path for action in actions if action.action is not Change.DELETE}
    for position, action in enumerate(actions):
        if twice := next((path for path in action.paths if times[path] > 1), ""):
            yield position, f"{twice} is touched by more than one action."
        elif action.path in written and (
            above := next((one for one in _folders(action.path) if one in written), "")
        ):
            yield position, f"{above} cannot be a file and a folder at once."


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:depth]) for depth in range(1, len(parts)))


def _too_large(actions: Sequence[FileAction]) -> dict[int, str]:
    total = sum(len(content_of(action)) for action in actions)
    if total <= LARGEST_SUBMISSION:
        return {}
    sentence = f"All files together may have {LARGEST_SUBMISSION} bytes, these have {total}."
    return {len(actions) - 1: sentence}
