"""The worker: one decision, one action, again, until nothing is left."""

from __future__ import annotations

import pytest

from tests.workqueue.conftest import dimensions, item
from tests.workqueue.lamps import Lamp, submit
from workqueue.services.working import work

pytestmark = pytest.mark.usefixtures("shop")


def test_b5_17_an_item_stays_active_with_nothing_to_do_until_an_event():
    lamp, _ = submit()
    assert item(lamp).actionable
    assert work() == "The work queue: worked on 1."
    after = item(lamp)
    assert (after.phase, after.actionable, after.attempts) == ("active", False, 0)
    assert (after.leased_until, after.lease_token) == (None, None)
    assert Lamp.objects.get(pk=lamp).brightness == 100
    assert dimensions(lamp) == {"needs_light": "false", "needs_dusting": "false"}
    assert work() == "The work queue: nothing to do."
