import { AccessToken } from './access-token.entity.ts';
import { Account } from './account.entity.ts';
import { AccountDeletion } from './account-deletion.entity.ts';
import { AccountRoute } from './account-route.entity.ts';
import { AlertChannel } from './alert-channel.entity.ts';
import { AlertDelivery } from './alert-delivery.entity.ts';
import { AlertEvent } from './alert-event.entity.ts';
import { AlertRule } from './alert-rule.entity.ts';
import { AlertState } from './alert-state.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { Batch } from './batch.entity.ts';
import { BatchLine } from './batch-line.entity.ts';
import { BillingMark } from './billing-mark.entity.ts';
import { AttemptRollup } from './attempt-rollup.entity.ts';
import { AuditEntry } from './audit-entry.entity.ts';
import { Blob } from './blob.entity.ts';
import { Budget } from './budget.entity.ts';
import { BudgetAlert } from './budget-alert.entity.ts';
import { Comparison } from './comparison.entity.ts';
import { ComparisonLane } from './comparison-lane.entity.ts';
import { ComparisonVote } from './comparison-vote.entity.ts';
import { ConnectedAccount } from './connected-account.entity.ts';
import { Invoice } from './invoice.entity.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { Conversation } from './conversation.entity.ts';
import { ConversationItem } from './conversation-item.entity.ts';
import { DatasetItem } from './dataset-item.entity.ts';
import { Dataset } from './dataset.entity.ts';
import { DatasetRun } from './dataset-run.entity.ts';
import { DatasetRunItem } from './dataset-run-item.entity.ts';
import { DatasetRunModel } from './dataset-run-model.entity.ts';
import { DatasetRunOutput } from './dataset-run-output.entity.ts';
import { FailedRefund } from './failed-refund.entity.ts';
import { Feedback } from './feedback.entity.ts';
import { Invitation } from './invitation.entity.ts';
import { LedgerBalance } from './ledger-balance.entity.ts';
import { LedgerEntry } from './ledger-entry.entity.ts';
import { LedgerPosting } from './ledger-posting.entity.ts';
import { LinkedIdentity } from './linked-identity.entity.ts';
import { LoggedContent } from './logged-content.entity.ts';
import { LoggedText } from './logged-text.entity.ts';
import { MailToken } from './mail-token.entity.ts';
import { MasterKeyVersion } from './master-key-version.entity.ts';
import { Membership } from './membership.entity.ts';
import { PaymentCustomer } from './payment-customer.entity.ts';
import { PaymentEvent } from './payment-event.entity.ts';
import { PendingSignUp } from './pending-sign-up.entity.ts';
import { ProviderBatch } from './provider-batch.entity.ts';
import { PlanChange } from './plan-change.entity.ts';
import { ProviderConnection } from './provider-connection.entity.ts';
import { ProviderObject } from './provider-object.entity.ts';
import { RecoveryCode } from './recovery-code.entity.ts';
import { ResponseEvent } from './response-event.entity.ts';
import { SavedView } from './saved-view.entity.ts';
import { Session } from './session.entity.ts';
import { SpentToken } from './spent-token.entity.ts';
import { StatusDay } from './status-day.entity.ts';
import { StoredChatCompletion } from './stored-chat-completion.entity.ts';
import { StoredFile } from './stored-file.entity.ts';
import { StoredResponse } from './stored-response.entity.ts';
import { Upload } from './upload.entity.ts';
import { UploadPart } from './upload-part.entity.ts';
import { UsageArchive } from './usage-archive.entity.ts';
import { UsageArchivePart } from './usage-archive-part.entity.ts';
import { UsageLog } from './usage-log.entity.ts';
import { UsageRetentionMark } from './usage-retention.entity.ts';
import { UsageRollup } from './usage-rollup.entity.ts';
import { UsageTagRollup } from './usage-tag-rollup.entity.ts';
import { User } from './user.entity.ts';
import { Video } from './video.entity.ts';
import { Webhook } from './webhook.entity.ts';

export { Account } from './account.entity.ts';
export { AccountDeletion } from './account-deletion.entity.ts';
export { AccountRoute, type AccountRouteRules } from './account-route.entity.ts';
export { AccessToken } from './access-token.entity.ts';
export { AlertChannel, alertChannelKinds, type AlertChannelKind } from './alert-channel.entity.ts';
export { AlertDelivery } from './alert-delivery.entity.ts';
export { AlertState } from './alert-state.entity.ts';
export { AlertEvent, type AlertTransition } from './alert-event.entity.ts';
export {
  AlertRule,
  alertKinds,
  alertMeasures,
  type AlertFilter,
  type AlertKind,
  type AlertMeasure,
} from './alert-rule.entity.ts';
export { ApiKey } from './api-key.entity.ts';
export { AuditEntry, type ActorKind, type AuditChange, type AuditValue } from './audit-entry.entity.ts';
export { Batch } from './batch.entity.ts';
export { Blob } from './blob.entity.ts';
export { Budget } from './budget.entity.ts';
export { Comparison } from './comparison.entity.ts';
export { ComparisonLane } from './comparison-lane.entity.ts';
export { ComparisonVote } from './comparison-vote.entity.ts';
export { ConnectedAccount } from './connected-account.entity.ts';
export { Invoice, invoiceStatuses, type InvoiceStatus } from './invoice.entity.ts';
export { InvoiceLine, type InvoiceLineKind } from './invoice-line.entity.ts';
export { Conversation } from './conversation.entity.ts';
export { ConversationItem } from './conversation-item.entity.ts';
export { Dataset } from './dataset.entity.ts';
export { DatasetRun } from './dataset-run.entity.ts';
export { DatasetRunModel } from './dataset-run-model.entity.ts';
export { FailedRefund } from './failed-refund.entity.ts';
export { Feedback } from './feedback.entity.ts';
export { Invitation } from './invitation.entity.ts';
export { LedgerBalance } from './ledger-balance.entity.ts';
export { LedgerEntry, type LedgerBook } from './ledger-entry.entity.ts';
export { LedgerPosting, type PostingKind } from './ledger-posting.entity.ts';
export { LinkedIdentity } from './linked-identity.entity.ts';
export { LoggedContent } from './logged-content.entity.ts';
export { MailToken, type MailTokenKind } from './mail-token.entity.ts';
export { Membership, membershipRoles, type MembershipRole } from './membership.entity.ts';
export { PendingSignUp } from './pending-sign-up.entity.ts';
export { PlanChange } from './plan-change.entity.ts';
export { ProviderConnection } from './provider-connection.entity.ts';
export { RecoveryCode } from './recovery-code.entity.ts';
export { SavedView, savedViewPages, type SavedViewPage } from './saved-view.entity.ts';
export { Session } from './session.entity.ts';
export type { StoredPlan } from './stored-plan.ts';
export { SpentToken } from './spent-token.entity.ts';
export { StoredChatCompletion } from './stored-chat-completion.entity.ts';
export { StoredFile } from './stored-file.entity.ts';
export { StoredResponse } from './stored-response.entity.ts';
export { Upload } from './upload.entity.ts';
export { UploadPart } from './upload-part.entity.ts';
export { UsageLog } from './usage-log.entity.ts';
export { UsageRollup } from './usage-rollup.entity.ts';
export { User } from './user.entity.ts';
export { Video, type VideoStatus } from './video.entity.ts';
export { Webhook } from './webhook.entity.ts';

export const entities = [
  Account,
  AccountDeletion,
  AccountRoute,
  AccessToken,
  AlertChannel,
  AlertDelivery,
  AlertEvent,
  AlertRule,
  AlertState,
  ApiKey,
  Batch,
  BatchLine,
  BillingMark,
  AttemptRollup,
  AuditEntry,
  Blob,
  Budget,
  BudgetAlert,
  Comparison,
  ComparisonLane,
  ComparisonVote,
  ConnectedAccount,
  Invoice,
  InvoiceLine,
  Conversation,
  ConversationItem,
  Dataset,
  DatasetItem,
  DatasetRun,
  DatasetRunItem,
  DatasetRunModel,
  DatasetRunOutput,
  FailedRefund,
  Feedback,
  Invitation,
  LedgerBalance,
  LedgerEntry,
  LedgerPosting,
  LinkedIdentity,
  LoggedContent,
  LoggedText,
  MailToken,
  MasterKeyVersion,
  Membership,
  PaymentCustomer,
  PaymentEvent,
  PendingSignUp,
  ProviderBatch,
  PlanChange,
  ProviderConnection,
  ProviderObject,
  RecoveryCode,
  ResponseEvent,
  SavedView,
  Session,
  SpentToken,
  StatusDay,
  StoredChatCompletion,
  StoredFile,
  StoredResponse,
  Upload,
  UploadPart,
  UsageArchive,
  UsageArchivePart,
  UsageLog,
  UsageRetentionMark,
  UsageRollup,
  UsageTagRollup,
  User,
  Video,
  Webhook,
];
