-- Why: people and existing dashboards see which pull requests are pending or claimed, the newest claim first.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW github_pull_requests_processing_view AS
SELECT
  Sequence, SenderLogin, RepositoryOwner, RepositoryName, Number, Sender, Ref, Title,
  IdleRetryCount, InstallationId, ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_pull_requests
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
