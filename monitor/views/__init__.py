"""Pages, a module each: they read through a selector, or call one service, and render."""
