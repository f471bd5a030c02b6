"""The input of `POST work-items/pull_request`; the work queue's own endpoints do the rest."""
