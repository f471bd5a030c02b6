from webhooks.services.claims import claim, claim_of
from webhooks.services import finishing
from tests.factories import PullRequestFactory
from webhooks.models import PullRequest, PullRequestHistory, CLAIMED
from tests.contract.rows import make_row
import pytest


def test_it(db):
    a = PullRequestFactory(processing_state="NEW")
    b = PullRequestFactory(processing_state="IDLE")
    batch = claim(PullRequest, worker="w")
    assert [c.row.pk for c in batch.claims] == [a.pk, b.pk]
    assert claim_of(PullRequest, a.pk, batch.token)
    assert finishing.finalize(batch.claims[0], "done")
    assert not finishing.finalize(batch.claims[0], "done")
    assert finishing.give_back(batch.claims[1], "throttled", throttled_for=60)
    print(list(PullRequestHistory.objects.values_list("kind", "from_state", "to_state", "reason")))
    assert claim(PullRequest, worker="w").claims == ()


@pytest.mark.parametrize("model", CLAIMED)
def test_all(db, model):
    make_row(model)
    (c,) = claim(model, worker="w").claims
    assert finishing.fail(c, "boom")


def test_fair(db):
    for n in range(100):
        PullRequestFactory(repository_name="a", processing_state="NEW")
    for r in "bc":
        PullRequestFactory(repository_name=r, processing_state="NEW")
    batch = claim(PullRequest, worker="w")
    assert sorted(c.row.repository_name for c in batch.claims) == ["a"] * 8 + ["b", "c"]
