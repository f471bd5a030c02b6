-- Why: people and existing dashboards see which pushes are pending or claimed, the newest claim first.
CREATE VIEW IF NOT EXISTS github_pushes_processing_view AS
SELECT
  Sequence, SenderLogin, RepositoryOwner, RepositoryName, Ref, InstallationId,
  ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_pushes
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
