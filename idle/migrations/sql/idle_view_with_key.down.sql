DROP VIEW IF EXISTS github_pull_requests_idle_view;
