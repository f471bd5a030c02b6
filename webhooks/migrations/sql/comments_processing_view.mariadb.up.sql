-- Why: people and existing dashboards see which comments are pending or claimed, the newest claim first.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW github_comments_processing_view AS
SELECT
  Sequence, SenderLogin, RepositoryOwner, RepositoryName, PullRequestNumber, CommentId, CommentSender,
  InstallationId, ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion, GstracciniBotVersion, UpdatedAt
FROM github_comments
WHERE ProcessingState IN ('NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING')
ORDER BY ProcessingDate DESC, Sequence DESC;
