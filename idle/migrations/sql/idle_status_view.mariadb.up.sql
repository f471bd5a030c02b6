-- Why: step (1 day), base (1 day) and cap (10 retries) of the backoff stand here, for the list and for the counts alike
-- (idle/values.py repeats them for what is not idle yet, and a test compares). Reads one index and no row: naming any
-- column outside that index would make it ten times slower.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW github_pull_requests_idle_status_view AS
SELECT
  Sequence, RepositoryKey, IdleRetryCount, UpdatedAt,
  10 AS IdleRetryLimit,
  CASE WHEN IdleRetryCount < 10 THEN IdleRetryCount + 1 END AS IdleWaitDays,
  CASE
    WHEN IdleRetryCount >= 10 THEN 3
    WHEN UpdatedAt <= CURRENT_TIMESTAMP - INTERVAL (IdleRetryCount + 1) DAY THEN 1
    ELSE 2
  END AS IdleStatusOrder
FROM github_pull_requests FORCE INDEX (ix_pull_requests_idle)
WHERE State = 'OPEN' AND ProcessingState = 'PROCESSED' AND UpdatedAt <= CURRENT_TIMESTAMP - INTERVAL 1 DAY;
