DROP VIEW IF EXISTS github_repositories_processing_view;
