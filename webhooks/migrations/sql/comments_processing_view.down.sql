DROP VIEW IF EXISTS github_comments_processing_view;
