DROP VIEW IF EXISTS github_issues_processing_view;
