"""What this product knows about GitHub: how deliveries are signed and read."""
