"""Where the queue meets the rest: the receiver, the cleanup, the migrations, the purity of what decides."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings as product
from django.core.management import call_command
from django.db import connection

from core import registry as settings_registry
from core.passes import run_pass
from tests.workqueue import lamps
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import submit
from webhooks.models import Delivery
from webhooks.passes import CLEANUP
from webhooks.services.receiving import replay
from workqueue import registry, setting_specs
from workqueue.models import AuditEntry, PendingEvent
from workqueue.services.working import work

PAYLOAD = {"action": "pressed", "room": "hall", "dimensions": [["needs_dusting", True]]}


@pytest.fixture
def lamp(shop) -> int:
    """A lamp in the hall that shines and needs nothing."""
    sequence, _ = submit()
    work()
    return sequence


def test_b5_34_a_signed_delivery_is_kept_for_the_item_it_concerns(lamp, hook):
    answer = hook.send("lamp", PAYLOAD)
    assert answer.status_code == 200
    stored = PendingEvent.objects.get()
    assert (stored.item_id, stored.action) == (lamp, "pressed")
    assert json.loads(zlib.decompress(stored.body)) == PAYLOAD
    assert stored.guid == Delivery.objects.get().guid
    work()
    assert "dust done: it is clean" in told(lamp, "outcome")


def test_b5_34_the_same_delivery_again_is_kept_once(lamp, hook):
    guid = "11111111-2222-3333-4444-555555555555"
    for _ in range(3):
        hook.send("lamp", PAYLOAD, guid=guid)
    assert PendingEvent.objects.count() == 1


def broken_resolve(_):
    raise ZeroDivisionError


def test_a_delivery_whose_event_cannot_be_kept_is_recorded_as_failed_and_kept_at_its_replay(
    lamp, hook, monkeypatch
):
    with monkeypatch.context() as broken:
        broken.setitem(registry.TYPES, "lamp", replace(lamps.LAMP, resolve=broken_resolve))
        assert hook.send("lamp", PAYLOAD).status_code == 500
    assert not PendingEvent.objects.exists()
    assert replay(Delivery.objects.get(status="failed").pk).http_status == 200
    assert PendingEvent.objects.count() == 1


def test_events_of_a_type_that_is_switched_off_wait_for_it(lamp, hook):
    settings_registry.write(setting_specs.HANDLED_TYPES, "")
    hook.send("lamp", PAYLOAD)
    work()
    assert PendingEvent.objects.count() == 1
    settings_registry.write(setting_specs.HANDLED_TYPES, "lamp")
    work()
    assert not PendingEvent.objects.exists()
    assert dimensions(lamp)["needs_dusting"] == "false"


def test_old_audit_goes_with_the_cleanup_and_the_item_stays(lamp, clock):
    AuditEntry.objects.filter(item=lamp).update(at=clock.now - timedelta(days=91))
    submit("attic")
    run = run_pass(CLEANUP, force=True).run
    assert run.counters["work_item_audit"] > 0
    assert told(lamp) == []
    assert item(lamp).phase == "active"
    assert AuditEntry.objects.exists()


def test_b5_04_what_decides_is_pure_and_loads_no_django():
    code = (
        "import sys, workqueue.decisions, workqueue.values\n"
        "sys.exit(any(name.split('.')[0] in {'django', 'django_q', 'requests'} for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=product.BASE_DIR, check=False).returncode == 0


@pytest.mark.django_db(transaction=True)
def test_the_tables_go_and_come_back():
    ours = {"work_items", "work_item_dimensions", "pending_events", "work_item_audit"}
    assert ours <= set(connection.introspection.table_names())
    try:
        call_command("migrate", "workqueue", "zero", verbosity=0)
        assert not ours & set(connection.introspection.table_names())
    finally:
        call_command("migrate", verbosity=0)
    assert ours <= set(connection.introspection.table_names())
