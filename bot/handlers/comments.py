"""Comments: what a collaborator asks for is done once, and acknowledged by a reaction."""

from __future__ import annotations

from django.conf import settings

from bot import setting_specs
from bot.decisions import commands
from bot.decisions.commands import MAY_COMMAND
from bot.services import obeying
from bot.services.obeying import Order
from bot.services.reach import Bench, place_of
from bot.values import Command, Done, Ending, Reaction
from webhooks.models import Comment
from webhooks.services.claims import Claim


def handle_comment(claim: Claim, bench: Bench) -> Ending:
    """Find the command, ask GitHub whether its author may give it, and obey; raises GithubError."""
    row: Comment = claim.row
    slug = settings.GITHUB_APP_SLUG
    if commands.is_our_bot(row.comment_sender, slug):
        return Done("a comment of our own")
    command = commands.find_command(row.comment_body, slug)
    if command is None:
        return Done("no command for us")
    place = place_of(row, bench.app, claim.cause)
    permission = place.client.permission(place.repository_id, row.comment_sender)
    if permission not in MAY_COMMAND:
        return Done(f"{row.comment_sender} may not command here (permission: {permission})")
    order = Order(row, place, bench.settings, claim.cause, slug)
    if not isinstance(command, Command):
        return _not_understood(order, command)
    return obeying.obey(order, command)


def _not_understood(order: Order, words: str) -> Ending:
    obeying.acknowledge(order, Reaction.NOT_UNDERSTOOD)
    dry = " (dry run)" if order.settings[setting_specs.DRY_RUN] else ""
    return Done(f"not understood: {words[:100]!r}{dry}")
