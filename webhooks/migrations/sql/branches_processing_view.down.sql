DROP VIEW IF EXISTS github_branches_processing_view;
