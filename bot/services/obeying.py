"""Doing what a comment asks for.

"Once per comment" rests on GitHub: a second reaction of the same kind is told apart from the first, and only the first
is followed by an answer in words. All else that commands do changes nothing when it is done twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Q

from bot import setting_specs
from bot.decisions import commands
from bot.services.reach import Place
from bot.services.updating import bring_up_to_date
from bot.values import Command, Done, Ending, NewTitle, Next, Reaction, Tomorrow
from core.registry import Effective
from githubapi.errors import Gone
from githubapi.values import PullRequestDetail
from webhooks.models import Comment, PullRequest
from webhooks.services import looks
from webhooks.services.pending import re_request
from webhooks.values import Cause

CLOSED = "the pull request is closed"
UNKNOWN = "the pull request is not known here yet"


@dataclass(frozen=True)
class Order:
    """A comment that holds a command, and where it was written."""

    comment: Comment
    place: Place
    settings: Effective
    cause: Cause
    slug: str

    @property
    def number(self) -> int:
        number: int = self.comment.pull_request_number
        return number

    @property
    def is_dry(self) -> bool:
        return self.settings[setting_specs.DRY_RUN]

    def pull_request(self) -> PullRequest | None:
        """Return the row of the pull request that the comment is on."""
        # Another program's row may lack the repository's id.
        unnamed = {
            "repository_id": None,
            "repository_owner": self.comment.repository_owner,
            "repository_name": self.comment.repository_name,
        }
        here = Q(repository_id=self.place.repository_id) | Q(**unnamed)
        row: PullRequest | None = PullRequest.objects.filter(here, number=self.number).order_by("-pk").first()
        return row

    def detail(self) -> PullRequestDetail:
        return self.place.client.pull_request_detail(self.place.repository_id, self.number)


def obey(order: Order, command: Command) -> Ending:
    """Do what was asked for and return the ending of the comment's row; raises GithubError."""
    return _OBEY[command](order)


def acknowledge(order: Order, reaction: Reaction, text: str = "") -> None:
    """React to the comment and, the first time, answer it."""
    if order.is_dry:
        return
    place = order.place
    try:
        is_first = place.client.react(place.repository_id, order.comment.comment_id, reaction)
    except Gone:
        return  # the comment was deleted after it was obeyed
    if is_first and text:
        place.client.comment(place.repository_id, order.number, text)


def _help(order: Order) -> Ending:
    acknowledge(order, Reaction.DONE, commands.help_text(order.slug))
    return Done("help: told what can be asked for")


def _retry(order: Order) -> Ending:
    row = order.pull_request()
    if row is None:
        return _refuse(order, f"retry: {UNKNOWN}")
    re_request(PullRequest, [row.pk], actor=order.comment.comment_sender)
    acknowledge(order, Reaction.DONE)
    return Done(f"retry: #{row.number} is pending again")


def _update_branch(order: Order) -> Ending:
    row, detail = order.pull_request(), order.detail()
    if row is None or detail.facts.state != "open":
        return _refuse(order, f"update branch: {CLOSED if row else UNKNOWN}")
    step = bring_up_to_date(row, detail, order.place, order.settings, order.cause)
    if step.next is Next.TOMORROW:
        return Tomorrow(f"update branch: {step.reason}")
    acknowledge(order, Reaction.DONE)
    return Done(f"update branch: {step.reason}")


def _hold(order: Order) -> Ending:
    return _retitle(order, "hold", commands.held_title)


def _unhold(order: Order) -> Ending:
    return _retitle(order, "unhold", commands.released_title)


def _retitle(order: Order, word: str, decide: Callable[[str], NewTitle]) -> Ending:
    detail = order.detail()
    if detail.facts.state != "open":
        return _refuse(order, f"{word}: {CLOSED}")
    new = decide(detail.facts.title)
    if not new.fits:
        return _refuse(order, f"{word}: {new.reason}")
    if new.title is not None and not order.is_dry:
        order.place.client.edit_title(order.place.repository_id, order.number, new.title)
        _look_again(order)
    acknowledge(order, Reaction.DONE)
    return Done(f"{word}: {'dry run, would be ' if order.is_dry else ''}{new.reason}")


def _look_again(order: Order) -> None:
    """Our own edit is an echo and wakes nobody, but what is held is not ready to merge."""
    row = order.pull_request()
    if row is not None:
        looks.ask([row.pk])


def _refuse(order: Order, reason: str) -> Ending:
    acknowledge(order, Reaction.REFUSED, f"Not done ({reason}).")
    return Done(f"refused: {reason}")


_OBEY: dict[Command, Callable[[Order], Ending]] = {
    Command.HELP: _help,
    Command.RETRY: _retry,
    Command.UPDATE_BRANCH: _update_branch,
    Command.HOLD: _hold,
    Command.UNHOLD: _unhold,
}
