"""What the syncs do: ask GitHub (never inside a transaction), compare (sync.decisions), write by compare-and-set."""
