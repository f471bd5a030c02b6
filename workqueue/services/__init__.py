"""What the doors of this app call."""
