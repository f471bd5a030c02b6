DROP VIEW IF EXISTS github_users_processing_view;
