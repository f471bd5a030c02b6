-- Why: back to the view of before, in one statement, so that whoever reads it meanwhile misses nothing.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW github_pull_requests_idle_view AS
SELECT
  x.Sequence, p.RepositoryOwner, p.RepositoryName, p.RepositoryId, p.InstallationId, p.Id, p.Number, p.NodeId, p.Title,
  p.Sender, p.SenderLogin, p.Ref, p.HeadSha, p.Draft, p.AutoMergeEnabled, p.AutoMergeEnabledAt, x.IdleRetryCount,
  p.ProcessedDate, p.ProcessingAttempts, p.ProcessingError, p.CreatedAt, x.UpdatedAt,
  ELT(x.IdleStatusOrder, 'DUE', 'WAITING', 'GAVE_UP') AS IdleStatus,
  x.IdleStatusOrder,
  x.RepositoryIdleRank,
  x.RepositoryLastPullRequestUpdate,
  r.Private AS RepositoryPrivate,
  x.UpdatedAt + INTERVAL x.IdleWaitDays DAY AS NextRetryAt,
  x.IdleRetryLimit,
  CASE
    WHEN r.LastAction = 'deleted' OR r.InstallationAction = 'removed' THEN 'repository removed'
    WHEN r.Archived THEN 'repository archived'
    WHEN i.SuspendedDate IS NOT NULL THEN 'installation suspended'
    WHEN i.Status = '0' THEN 'installation gone'
  END AS Blocked
FROM (
  SELECT
    s.Sequence, s.IdleRetryCount, s.UpdatedAt, s.IdleRetryLimit, s.IdleWaitDays, s.IdleStatusOrder,
    q.RepositoryLastPullRequestUpdate,
    ROW_NUMBER() OVER (
      PARTITION BY s.RepositoryKey ORDER BY s.IdleStatusOrder, s.IdleRetryCount, s.UpdatedAt, s.Sequence
    ) AS RepositoryIdleRank
  FROM github_pull_requests_idle_status_view s
  STRAIGHT_JOIN (
    SELECT RepositoryKey, MAX(UpdatedAt) AS RepositoryLastPullRequestUpdate
    FROM github_pull_requests
    GROUP BY RepositoryKey
  ) q ON q.RepositoryKey = s.RepositoryKey
) x
STRAIGHT_JOIN github_pull_requests p ON p.Sequence = x.Sequence
LEFT JOIN github_repositories r
  ON r.OwnerLogin = p.RepositoryOwner AND r.Name = p.RepositoryName
  AND NOT EXISTS (
    SELECT 1 FROM github_repositories newer
    WHERE newer.OwnerLogin = r.OwnerLogin AND newer.Name = r.Name AND newer.Sequence > r.Sequence
  )
LEFT JOIN github_installations i
  ON i.InstallationId = COALESCE(r.InstallationId, p.InstallationId)
  AND NOT EXISTS (
    SELECT 1 FROM github_installations newer
    WHERE newer.InstallationId = i.InstallationId AND newer.Sequence > i.Sequence
  )
ORDER BY
  x.IdleStatusOrder, x.IdleRetryCount, x.RepositoryIdleRank, x.RepositoryLastPullRequestUpdate, x.UpdatedAt, x.Sequence;
