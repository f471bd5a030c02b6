"""What the pages read, a module a page."""
