"""Who and what the demo's story is about: people, installations, repositories, pull requests' titles."""

from __future__ import annotations

from sandbox.world import Installation, Person, Repository

NORTHWIND = Person(id=31001, login="northwind-labs", type="Organization")
OLD_HARBOR = Person(id=31002, login="old-harbor", type="Organization")
MIRA = Person(id=32001, login="mira-solano")
TOMAS = Person(id=32002, login="tomas-lind")
AIKO = Person(id=32003, login="aiko-brandt")
YUSUF = Person(id=32004, login="yusuf-ode")
PRIYA = Person(id=32005, login="priya-kallas")
DEPENDABOT = Person(id=49699333, login="dependabot[bot]", type="Bot")
RENOVATE = Person(id=29139614, login="renovate[bot]", type="Bot")

# A pull request's author is None when the account was deleted.
AUTHORS = (TOMAS, AIKO, YUSUF, PRIYA, MIRA, DEPENDABOT, TOMAS, AIKO, RENOVATE, None)
TEAM = (TOMAS, AIKO, YUSUF, PRIYA)
REVIEWERS = (MIRA, PRIYA, TOMAS)

AT_NORTHWIND = Installation(id=510001, account=NORTHWIND)
AT_MIRA = Installation(id=510002, account=MIRA, selection="selected")
AT_OLD_HARBOR = Installation(id=510003, account=OLD_HARBOR)
INSTALLATIONS = (AT_NORTHWIND, AT_MIRA, AT_OLD_HARBOR)


def _at(installation: Installation, number: int, name: str, *, private: bool = False) -> Repository:
    return Repository(
        id=610000 + number, name=name, owner=installation.account, installation=installation, private=private
    )


ATLAS_API = _at(AT_NORTHWIND, 1, "atlas-api")
ATLAS_WEB = _at(AT_NORTHWIND, 2, "atlas-web")
BILLING = _at(AT_NORTHWIND, 3, "billing", private=True)
INFRA = _at(AT_NORTHWIND, 4, "infra", private=True)
HANDBOOK = _at(AT_NORTHWIND, 5, "handbook")
IMPORTER = _at(AT_NORTHWIND, 6, "legacy-importer")
OLD_SITE = _at(AT_NORTHWIND, 7, "old-site")
DOTFILES = _at(AT_MIRA, 8, "dotfiles")
RECIPES = _at(AT_MIRA, 9, "recipe-box")
NOTES = _at(AT_MIRA, 10, "field-notes", private=True)
CHESS_CLOCK = _at(AT_MIRA, 11, "chess-clock")
TIDES = _at(AT_OLD_HARBOR, 12, "tide-tables")

# The name that OLD_SITE is given near the end of the story.
NEW_SITE_NAME = "website"

VERY_LONG_TITLE = (
    "Import from the old notebook (thirty pages of it, every one of them photographed by hand under a "
    "kitchen lamp, with the butter stains, the crossed-out amounts, the arrows, and the three competing "
    "versions of grandmother's plum cake that the family still argues about)"
)

# One pull request each, numbered from 1 in this order.
TITLES: dict[Repository, tuple[str, ...]] = {
    ATLAS_API: (
        "Return 409 instead of 500 when two exports start at once",
        "Bump django from 5.2.18 to 5.2.19",
        "Page the audit log by key, not by offset",
        "Rate limit: count by token, fall back to the address",
        "(HELD) Switch the session store to Redis",
        "Teach the health check about read replicas",
        'Escape file names in exports: "><img src=x onerror=alert(1)>',
        "Drop support for the v1 search endpoint",
    ),
    ATLAS_WEB: (
        "Dark mode: stop the login page from flashing white",
        "Replace moment with Temporal where it is only used for formatting",
        "🚀 Ship the new onboarding 👩‍👩‍👧‍👦 (finally)",
        "Keyboard navigation for the command palette",
        "Bump vite from 7.1.0 to 7.1.4",
        "Lazy-load the map, it is two thirds of the bundle",
        "Fix focus trap in nested dialogs",
        "Let people undo an archive within ten seconds",
    ),
    BILLING: (
        "Round VAT per line, as the tax office wants it",
        "Retry card charges once, never twice",
        "Store invoices for ten years in the cold bucket",
        "Proration: a plan change at midnight belongs to the new day",
        "Remove the unused coupon table",
    ),
    INFRA: (
        "Rotate the database password without a restart",
        "Move the staging cluster to smaller nodes",
        "Alert when a certificate has less than 14 days",
        "Pin every base image by digest",
        "Terraform: import the two buckets made by hand in March",
        "Nightly restore test of the newest backup",
    ),
    HANDBOOK: (
        "Explain how we review, and what we do not review",
        "Add the on-call checklist for quiet nights",
        "Typos in the holiday page",
        "الدليل: إضافة فصل عن مراجعة الشيفرة",
        "Who to ask about invoices",
    ),
    IMPORTER: (
        "Read Latin-1 files that call themselves UTF-8",
        "Log the row number of a bad record",
        "Last fix before we archive this",
    ),
    OLD_SITE: (
        "Compress the hero image",
        "Redirect /jobs to /careers",
        "Add a privacy page that people can read",
        "Bump @astrojs/rss from 4.0.11 to 4.0.12",
    ),
    DOTFILES: (
        "zsh: faster prompt in large repositories",
        "Add a tmux layout for pairing",
        "Use the system fonts everywhere",
        "git: sign commits on the laptop only",
    ),
    RECIPES: (
        "Scale amounts by servings, keep eggs whole",
        VERY_LONG_TITLE,
        "日本語: 単位を「合」でも表示する",
        "Print view without the adverts",
        "Allergens as structured data",
    ),
    NOTES: (
        "Field notes of the autumn trip",
        "Sort sightings by date, then by place",
        "Offline map tiles for the northern part",
        "Draft: counting method for gulls",
    ),
    CHESS_CLOCK: (
        "Increment is added twice after a pause",
        "Bigger digits for the far end of the table",
        "Vibrate in the last ten seconds",
    ),
    TIDES: (
        "Port the harmonic constants to a CSV",
        "Daylight saving: tides do not care, our users do",
        "Show the next slack water on the front page",
        "Add the station at the lighthouse",
    ),
}
REPOSITORIES = tuple(TITLES)

# What happens at GitHub while nobody listens: one is merged, and one is opened from a branch known before.
MERGED_UNHEARD = (ATLAS_API, 3)
LATE_REF = "topic/left-overs"
LATE_TITLE = "Say how long left-overs keep"

# Branch names that a careless reader gets wrong, by (repository, number).
ODD_REFS = {
    (ATLAS_API, 7): "fix/<svg/onload=1>",
    (ATLAS_WEB, 3): "feature/a#1%2Fb+c",
    (RECIPES, 3): "機能/単位",
    (HANDBOOK, 4): "refs/heads/handbook-ar",
}


def known_names() -> set[str]:
    """Return every repository and account that the story's rows may name, under old and new names."""
    names = {repo.full_name for repo in REPOSITORIES} | {inst.account.login for inst in INSTALLATIONS}
    return names | {f"{NORTHWIND.login}/{NEW_SITE_NAME}"}
