"""A pretended GitHub that remembers: REST over real HTTP, signed deliveries, faults on demand, a clock to
move.

Standard library only. What it answers is compared with GitHub's published description in the tests.
"""

from __future__ import annotations

from sandbox.server.handle import SandboxGithub

__all__ = ["SandboxGithub"]
