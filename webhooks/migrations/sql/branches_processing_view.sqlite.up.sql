-- Why: people and existing dashboards see which branches are pending or claimed, the newest claim first.
CREATE VIEW IF NOT EXISTS github_branches_processing_view AS
SELECT
  Sequence, SenderLogin, RepositoryOwner, RepositoryName, Ref, RefType, Event,
  InstallationId, ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_branches
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
