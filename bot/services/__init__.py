"""What the bot does."""
