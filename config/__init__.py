"""The project: settings, URLs, and the tables that name what the apps provide (passes, schedules, bells)."""
