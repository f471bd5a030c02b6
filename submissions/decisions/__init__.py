"""Pure decisions: what is accepted, what comes next, and what GitHub's answers mean for it."""
