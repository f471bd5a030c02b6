-- Why: a release with what its workflow runs say. A run belongs to the release whose tag it ran on. No run is not a
-- success: nothing reported stays Pending.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW github_release_status_view AS
SELECT
  l.Sequence, l.RepositoryOwner, l.RepositoryName, l.RepositoryId, l.ReleaseId, l.ReleaseName, l.TagName, l.HtmlUrl,
  l.ReleaseCreatedAt,
  CASE
    WHEN SUM(CASE WHEN w.Status = 'completed' AND w.Conclusion NOT IN ('success', 'neutral', 'skipped') THEN 1 ELSE 0 END) > 0
      THEN 'Failed'
    WHEN COUNT(w.Sequence) = 0 OR SUM(CASE WHEN w.Status = 'completed' THEN 0 ELSE 1 END) > 0 THEN 'Pending'
    ELSE 'Successful'
  END AS WorkflowStatus,
  COUNT(w.Sequence) AS WorkflowRunsCount,
  SUM(CASE WHEN w.Status = 'completed' AND w.Conclusion NOT IN ('success', 'neutral', 'skipped') THEN 1 ELSE 0 END)
    AS FailedWorkflowRuns
FROM github_releases l
LEFT JOIN github_workflow_runs w
  ON w.RepositoryOwner = l.RepositoryOwner AND w.RepositoryName = l.RepositoryName AND w.HeadBranch = l.TagName
GROUP BY
  l.Sequence, l.RepositoryOwner, l.RepositoryName, l.RepositoryId, l.ReleaseId, l.ReleaseName, l.TagName, l.HtmlUrl,
  l.ReleaseCreatedAt;
