DROP VIEW IF EXISTS github_pull_requests_processing_view;
