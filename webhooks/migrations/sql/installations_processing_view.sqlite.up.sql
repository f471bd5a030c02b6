-- Why: people and existing dashboards see which installations are pending or claimed, the newest claim first.
CREATE VIEW IF NOT EXISTS github_installations_processing_view AS
SELECT
  Sequence, SenderLogin, AccountLogin, AccountType, RepositorySelection, Status,
  InstallationId, ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_installations
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
