"""Why a pull request is where it is, and what happens to it next (docs/decisions/0043-explanations.md).

`gather` reads what is known, in a bounded number of queries; `decisions` says what that means, and is pure.
"""
