"""F16: which paths are documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merge.rules.paths import is_document

DOCUMENTS = """
README.md README.MD readme.rst docs/a.md Docs/x.MD docs/guide/Übersicht.adoc src/notes.md deep/er/still/x.rst README
LICENSE COPYING NOTICE AUTHORS CHANGELOG license readme.txt LICENSE.txt docs/AUTHORS.TXT CHANGELOG.md a.b.c.md
docs/requirements.md docs/日本語.md docs/.hidden.md
""".split()

OTHERS = """
requirements.txt requirements-dev.txt constraints.txt CMakeLists.txt robots.txt docs/requirements.txt docs/conf.py
docs/../src/x docs/../src/x.md ../x.md /x.md docs//x.md ./x.md docs/./x.md docs\\x.md AGENTS.md agents.md CLAUDE.md
sub/CLAUDE.md CLAUDE.local.md GEMINI.md SKILL.md skills/x/SKILL.md copilot-instructions.md docs/build-Instructions.md
.github/copilot-instructions.md .github/README.md .github/ISSUE_TEMPLATE/bug.md .claude/notes.md sub/.cursor/rules.md
.GitHub/x.md .md docs/.md Makefile Dockerfile LICENSE-MIT notes.txt docs/notes.txt x.mdx x.md.py x.py docs/x.html
docs/a.ipynb docs/x.md/ README.md/evil.py md readme.sh docs
""".split()


@pytest.mark.parametrize("path", DOCUMENTS)
def test_f16_a_document(path):
    assert is_document(path)


@pytest.mark.parametrize(
    "path", [*OTHERS, "", "docs/x.md ", "docs/x.md\u202e", "docs/\x00.md", "docs/a\nb.md"]
)
def test_f16_no_document(path):
    assert not is_document(path)


@given(st.text(max_size=30))
def test_no_text_is_too_strange_to_be_judged(path):
    assert is_document(path) in {True, False}


@given(st.sampled_from(DOCUMENTS), st.sampled_from([".github", ".claude", ".cursor", ".GITHUB", ".."]))
def test_no_document_stays_one_below_a_folder_for_machines(path, folder):
    assert not is_document(f"{folder}/{path}")
    assert not is_document(f"docs/{folder}/{path}")


@given(st.sampled_from(OTHERS))
def test_letter_case_makes_no_document(path):
    assert not is_document(path.upper())
    assert not is_document(path.swapcase())
