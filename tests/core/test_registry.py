"""Settings: typed, bounded, read once, and never lost."""

from __future__ import annotations

import pytest

from core import registry
from core.models import Setting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("specs")]


@pytest.fixture
def some(specs):
    return (
        registry.boolean("probe.on", default=True, description="On or off."),
        registry.integer("probe.count", default=5, least=1, most=10, description="How many."),
        registry.words("probe.note", default="none", description="Any words."),
    )


def test_without_rows_the_defaults_are_in_force(some):
    values = registry.effective()
    assert [values[spec] for spec in some] == [True, 5, "none"]
    assert values.problems == {}


def test_stored_values_are_in_force_and_typed(some):
    for name, value in (("probe.on", " Off "), ("probe.count", " 10 "), ("probe.note", " two words ")):
        Setting.objects.create(name=name, value=value)
    values = registry.effective()
    assert [values[spec] for spec in some] == [False, 10, "two words"]


@pytest.mark.parametrize("word", ["true", "1", "ON", "yes"])
def test_words_for_on(some, word):
    Setting.objects.create(name="probe.on", value=word)
    assert registry.effective()[some[0]] is True


@pytest.mark.parametrize(
    "name, text, sentence",
    [
        ("probe.on", "perhaps", "Use on or off"),
        ("probe.on", "", "Use on or off"),
        ("probe.count", "many", "takes a whole number, not 'many'"),
        ("probe.count", "2.5", "takes a whole number"),
        ("probe.count", "0", "takes a number from 1 to 10, not 0"),
        ("probe.count", "11", "takes a number from 1 to 10, not 11"),
    ],
)
def test_a_refused_value_counts_as_the_default_and_is_told(some, name, text, sentence):
    Setting.objects.create(name=name, value=text)
    values = registry.effective()
    assert [values[spec] for spec in some] == [True, 5, "none"]
    assert sentence in values.problems[name]


def test_a_row_without_a_value_means_the_default(some):
    Setting.objects.create(name="probe.count", value=None)
    values = registry.effective()
    assert (values[some[1]], values.problems) == (5, {})


def test_all_settings_are_read_by_one_query(some, django_assert_num_queries):
    with django_assert_num_queries(1):
        registry.effective()


def test_missing_rows_are_added_and_all_others_left_alone(some):
    Setting.objects.create(name="probe.count", value="7", description="my words")
    Setting.objects.create(name="gstraccini-bot.sync-installations.last-run", value="2026-01-01T00:00:00Z")
    assert registry.add_missing_rows() == sum(spec.seeded for spec in registry.SPECS.values()) - 1
    assert registry.add_missing_rows() == 0
    assert Setting.objects.get(name="probe.on").value is None
    kept = Setting.objects.get(name="probe.count")
    assert (kept.value, kept.description) == ("7", "my words")
    assert Setting.objects.get(name__startswith="gstraccini-bot.").value == "2026-01-01T00:00:00Z"


def test_a_name_is_registered_once(some):
    with pytest.raises(ValueError, match="registered twice"):
        registry.boolean("probe.on", default=True, description="Again.")


def test_every_registered_default_is_a_value_that_its_spec_takes():
    assert registry.SPECS
    for spec in registry.SPECS.values():
        assert spec.parse(spec.show(spec.default)) == spec.default, spec.name
        assert spec.description.endswith(".")
