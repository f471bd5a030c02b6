"""The bot's decisions: pure functions that return a verdict with its reason."""
