"""A local stand-in for GitHub and for the external bot: outside the product, for the demo and the tests.

Of the product it knows `githubapi.protocol` only (how a delivery is signed); everything else it knows as an
outsider does: GitHub's payloads, the receiver's address, and the tables that external programs share.
"""
