-- Why: as idle_view, and the RepositoryKey at its end: by that, one repository's line is found without ranking all others.
-- Every Idle Pull Request in the order the worker serves them, with all that explains its place
-- (docs/decisions/0008). Ranks are settled on narrow rows first (x), off the indexes; CROSS JOIN keeps SQLite's planner
-- from starting with the wide rows (p).
CREATE VIEW IF NOT EXISTS github_pull_requests_idle_view AS
SELECT
  x.Sequence, p.RepositoryOwner, p.RepositoryName, p.RepositoryId, p.InstallationId, p.Id, p.Number, p.NodeId, p.Title,
  p.Sender, p.SenderLogin, p.Ref, p.HeadSha, p.Draft, p.AutoMergeEnabled, p.AutoMergeEnabledAt, x.IdleRetryCount,
  p.ProcessedDate, p.ProcessingAttempts, p.ProcessingError, p.CreatedAt, x.UpdatedAt,
  CASE x.IdleStatusOrder WHEN 1 THEN 'DUE' WHEN 2 THEN 'WAITING' ELSE 'GAVE_UP' END AS IdleStatus,
  x.IdleStatusOrder,
  x.RepositoryIdleRank,
  x.RepositoryLastPullRequestUpdate,
  r.Private AS RepositoryPrivate,
  datetime(x.UpdatedAt, '+' || x.IdleWaitDays || ' days') AS NextRetryAt,
  x.IdleRetryLimit,
  CASE
    WHEN r.LastAction = 'deleted' OR r.InstallationAction = 'removed' THEN 'repository removed'
    WHEN r.Archived THEN 'repository archived'
    WHEN i.SuspendedDate IS NOT NULL THEN 'installation suspended'
    WHEN i.Status = '0' THEN 'installation gone'
  END AS Blocked,
  x.RepositoryKey
FROM (
  SELECT
    s.Sequence, s.RepositoryKey, s.IdleRetryCount, s.UpdatedAt, s.IdleRetryLimit, s.IdleWaitDays, s.IdleStatusOrder,
    (
      SELECT MAX(q.UpdatedAt) FROM github_pull_requests q INDEXED BY ix_pull_requests_quiet
      WHERE q.RepositoryKey = s.RepositoryKey
    ) AS RepositoryLastPullRequestUpdate,
    ROW_NUMBER() OVER (
      PARTITION BY s.RepositoryKey ORDER BY s.IdleStatusOrder, s.IdleRetryCount, s.UpdatedAt, s.Sequence
    ) AS RepositoryIdleRank
  FROM github_pull_requests_idle_status_view s
) x
CROSS JOIN github_pull_requests p ON p.Sequence = x.Sequence
LEFT JOIN github_repositories r ON r.Sequence = (
  SELECT newest.Sequence FROM github_repositories newest
  WHERE newest.OwnerLogin = p.RepositoryOwner AND newest.Name = p.RepositoryName
  ORDER BY newest.Sequence DESC LIMIT 1
)
LEFT JOIN github_installations i ON i.Sequence = (
  SELECT newest.Sequence FROM github_installations newest
  WHERE newest.InstallationId = COALESCE(r.InstallationId, p.InstallationId)
  ORDER BY newest.Sequence DESC LIMIT 1
)
ORDER BY
  x.IdleStatusOrder, x.IdleRetryCount, x.RepositoryIdleRank, x.RepositoryLastPullRequestUpdate, x.UpdatedAt, x.Sequence;
