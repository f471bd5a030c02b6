-- Why: people and existing dashboards see which repositories are pending or claimed, the newest claim first.
CREATE VIEW IF NOT EXISTS github_repositories_processing_view AS
SELECT
  Sequence, SenderLogin, FullName, OwnerLogin, LastAction, InstallationAction,
  InstallationId, ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_repositories
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
