"""The safety net under the Events."""
