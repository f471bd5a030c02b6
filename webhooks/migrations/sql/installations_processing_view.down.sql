DROP VIEW IF EXISTS github_installations_processing_view;
