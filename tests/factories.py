"""Rows for tests, valid by default; a test names only what it is about."""

from __future__ import annotations

import uuid

import factory
from factory.django import DjangoModelFactory

from webhooks import models


class EventRowFactory(DjangoModelFactory):
    class Meta:
        abstract = True

    delivery_id = factory.LazyFunction(uuid.uuid4)
    hook_id = 1


class RepositoryRowFactory(EventRowFactory):
    class Meta:
        abstract = True

    repository_owner = "octo"
    repository_name = "tools"
    repository_id = 4242
    installation_id = 7


class PullRequestFactory(RepositoryRowFactory):
    class Meta:
        model = models.PullRequest

    github_id = factory.Sequence(lambda n: 1000 + n)
    number = factory.Sequence(lambda n: 1 + n)
    node_id = factory.Sequence(lambda n: f"PR_{n}")
    sender = "alice"
    title = factory.Sequence(lambda n: f"Pull request {n}")
    ref = factory.Sequence(lambda n: f"feature-{n}")
    head_sha = factory.Sequence(lambda n: f"{n:040x}")
    processing_state = "PROCESSED"


class IssueFactory(RepositoryRowFactory):
    class Meta:
        model = models.Issue

    github_id = factory.Sequence(lambda n: 5000 + n)
    number = factory.Sequence(lambda n: 500 + n)
    node_id = factory.Sequence(lambda n: f"I_{n}")
    title = factory.Sequence(lambda n: f"Issue {n}")


class BranchFactory(RepositoryRowFactory):
    class Meta:
        model = models.Branch

    ref = factory.Sequence(lambda n: f"branch-{n}")


class RepositoryFactory(EventRowFactory):
    class Meta:
        model = models.Repository

    github_id = 4242
    node_id = "R_4242"
    owner_login = "octo"
    name = "tools"
    full_name = factory.LazyAttribute(lambda row: f"{row.owner_login}/{row.name}")
    installation_id = 7


class InstallationFactory(EventRowFactory):
    class Meta:
        model = models.Installation

    installation_id = 7
    account_login = "octo"
    account_id = 70


class DeliveryFactory(DjangoModelFactory):
    class Meta:
        model = models.Delivery

    hook_id = 1
    guid = factory.LazyFunction(lambda: str(uuid.uuid4()))
    event = "pull_request"
    action = "opened"
    status = "applied"
