-- Why: people and existing dashboards see which issues are pending or claimed, the newest claim first.
CREATE VIEW IF NOT EXISTS github_issues_processing_view AS
SELECT
  Sequence, SenderLogin, RepositoryOwner, RepositoryName, Number, InstallationId,
  ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_issues
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
