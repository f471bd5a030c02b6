"""What merging does: look, judge, enqueue, carry out."""
