-- Why: people and existing dashboards see which users are pending or claimed, the newest claim first.
CREATE VIEW IF NOT EXISTS github_users_processing_view AS
SELECT
  Sequence, Login, FullName, Email, UserId,
  ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_users
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
