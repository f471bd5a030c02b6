-- Why: the branches (no tags) that exist now; a deleted one leaves by its Event.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW github_branches_view AS
SELECT
  Sequence, RepositoryOwner, RepositoryName, RepositoryId, InstallationId, Ref, MasterBranch,
  SenderLogin, ProcessingState, ProcessingDate, CreatedAt, UpdatedAt
FROM github_branches
WHERE RefType = 'branch' AND Event = 'create';
