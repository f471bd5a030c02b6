DROP VIEW IF EXISTS github_release_status_view;
