DROP VIEW IF EXISTS github_pushes_processing_view;
