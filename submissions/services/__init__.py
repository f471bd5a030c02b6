"""What the doors of this app call, and the executors of its item type."""
