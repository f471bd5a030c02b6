DROP VIEW IF EXISTS github_branches_view;
