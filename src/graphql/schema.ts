import 'reflect-metadata';
import { createPubSub } from '@graphql-yoga/subscription';
import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType, type NonEmptyArray } from 'type-graphql';
import { checkAccess } from './operation/access.ts';
import { AccountResolver } from './accounts/account.resolver.ts';
import { PermissionsResolver } from './accounts/permissions.resolver.ts';
// Imports determine the order of the printed schema.
import './members/member.types.ts';
import { ApprovalsResolver } from './accounts/approvals.resolver.ts';
import { ConfirmSignUpResolver } from './accounts/confirm-sign-up.resolver.ts';
import { SignInResolver } from './accounts/sign-in.resolver.ts';
import { FailedRefundsResolver } from './billing/failed-refunds.resolver.ts';
import { BalanceResolver, InvoicesResolver } from './billing/invoices.resolver.ts';
import { TopUpResolver } from './billing/top-up.resolver.ts';
import { UpcomingInvoiceResolver } from './billing/upcoming-invoice.resolver.ts';
import { AuditResolver } from './audit/audit.resolver.ts';
import { BudgetAlertsResolver } from './budgets/budget-alerts.resolver.ts';
import { AccountBudgetsResolver, BudgetsResolver } from './budgets/budgets.resolver.ts';
import { BudgetKeyResolver, KeyBudgetResolver } from './keys/key-budget.resolver.ts';
import { CompareModelsResolver } from './comparisons/compare-models.resolver.ts';
import { ComparisonEventsResolver } from './comparisons/comparison-events.resolver.ts';
import { ComparisonsResolver } from './comparisons/comparisons.resolver.ts';
import { CompletionResolver } from './completions/completion.resolver.ts';
import { ConnectionsResolver } from './connections/connections.resolver.ts';
import { OwnSessionsResolver, OwnUserResolver } from './identity/own-user.resolver.ts';
import { ProfileResolver } from './identity/profile.resolver.ts';
import { TwoFactorResolver } from './identity/two-factor.resolver.ts';
import { ContentLoggingResolver } from './content-logging/content-logging.resolver.ts';
import { ApiKeysResolver } from './keys/api-keys.resolver.ts';
import { KeyUsageResolver } from './usage/key-usage.resolver.ts';
import { KeyCountResolver, KeyNestingResolver } from './keys/key-nesting.resolver.ts';
import { AccessTokensResolver } from './keys/access-tokens.resolver.ts';
import { KeySecretsResolver } from './keys/key-secrets.resolver.ts';
import { LiveResolver } from './live/live.resolver.ts';
import { AccountLifecycleResolver } from './members/account-lifecycle.resolver.ts';
import { InvitationsResolver } from './members/invitations.resolver.ts';
import { MembersResolver } from './members/members.resolver.ts';
import { ModelsResolver } from './models/models.resolver.ts';
import { NodesResolver } from './nodes/nodes.resolver.ts';
import { DefaultKeyLimitsResolver } from './plans/default-key-limits.resolver.ts';
import { PlansResolver } from './plans/plans.resolver.ts';
// As above.
import './chat-completions/chat-completion.types.ts';
import './responses/response.types.ts';
import './videos/video.types.ts';
import './webhooks/webhook.types.ts';
import { RoutesResolver } from './routing/routes.resolver.ts';
import { ConfiguredResolver } from './routing/configured.resolver.ts';
import { RoutingResolver } from './routing/routing.resolver.ts';
import { setInstances, type ResolverInstances } from './operation/resolver-instances.ts';
import { DateTime } from './scalars/date-time.ts';
import { UsageArchiveResolver } from './usage/archive/usage-archive.resolver.ts';
import { UsageLogsResolver } from './usage/usage-logs.resolver.ts';
import { LoggedContentResolver } from './content-log/logged-content.resolver.ts';
import { RequestReplayResolver } from './content-log/request-replay.resolver.ts';
import {
  FeedbackAuthorResolver,
  RequestFeedbackResolver,
  SessionFeedbackResolver,
} from './feedback/feedback-fields.resolver.ts';
import { FeedbackResolver } from './feedback/feedback.resolver.ts';
import { SessionsResolver } from './sessions/sessions.resolver.ts';
import { SavedViewsResolver } from './saved-views/saved-views.resolver.ts';
import { PerformanceResolver } from './usage/performance/performance.resolver.ts';
import { UsageReportResolver } from './usage/usage-report.resolver.ts';
import { UsageTicksResolver } from './usage/usage-ticks.resolver.ts';
import { BatchesResolver } from './batches/batches.resolver.ts';
import { DatasetRunFieldsResolver, DatasetRunItemResolver } from './dataset-runs/dataset-run-fields.resolver.ts';
import { DatasetRunsResolver } from './dataset-runs/dataset-runs.resolver.ts';
import { DatasetsResolver } from './datasets/datasets.resolver.ts';
import { FilesResolver } from './files/files.resolver.ts';
import { ChatCompletionsResolver } from './chat-completions/chat-completions.resolver.ts';
import { ConversationsResolver } from './conversations/conversations.resolver.ts';
import { ResponsesResolver } from './responses/responses.resolver.ts';
import { VideosResolver } from './videos/videos.resolver.ts';
import { AlertRulesResolver } from './alerts/alert-rules.resolver.ts';
import { AlertChannelsResolver } from './alerts/alert-channels.resolver.ts';
import { AlertHistoryResolver } from './alerts/alert-history.resolver.ts';
import { WebhooksResolver } from './webhooks/webhooks.resolver.ts';

const resolverClasses: NonEmptyArray<ClassType> = [
  AccountResolver,
  PermissionsResolver,
  ApprovalsResolver,
  SignInResolver,
  ConfirmSignUpResolver,
  ProfileResolver,
  TwoFactorResolver,
  OwnUserResolver,
  OwnSessionsResolver,
  AccountLifecycleResolver,
  MembersResolver,
  InvitationsResolver,
  AuditResolver,
  ContentLoggingResolver,
  ApiKeysResolver,
  KeySecretsResolver,
  AccessTokensResolver,
  KeyUsageResolver,
  KeyNestingResolver,
  KeyCountResolver,
  BudgetsResolver,
  BudgetKeyResolver,
  KeyBudgetResolver,
  AccountBudgetsResolver,
  BudgetAlertsResolver,
  ConnectionsResolver,
  BalanceResolver,
  FailedRefundsResolver,
  InvoicesResolver,
  TopUpResolver,
  UpcomingInvoiceResolver,
  ModelsResolver,
  NodesResolver,
  DefaultKeyLimitsResolver,
  PlansResolver,
  RoutesResolver,
  RoutingResolver,
  ConfiguredResolver,
  UsageArchiveResolver,
  UsageLogsResolver,
  SessionsResolver,
  LoggedContentResolver,
  RequestReplayResolver,
  FeedbackResolver,
  FeedbackAuthorResolver,
  RequestFeedbackResolver,
  SessionFeedbackResolver,
  UsageReportResolver,
  SavedViewsResolver,
  PerformanceResolver,
  UsageTicksResolver,
  CompletionResolver,
  ComparisonsResolver,
  ComparisonEventsResolver,
  CompareModelsResolver,
  LiveResolver,
  VideosResolver,
  ResponsesResolver,
  ChatCompletionsResolver,
  ConversationsResolver,
  BatchesResolver,
  FilesResolver,
  DatasetsResolver,
  DatasetRunsResolver,
  DatasetRunFieldsResolver,
  DatasetRunItemResolver,
  WebhooksResolver,
  AlertRulesResolver,
  AlertChannelsResolver,
  AlertHistoryResolver,
];

/** @throws Error for a class without an instance */
export function requireAllResolvers(instances: ResolverInstances): ResolverInstances {
  for (const resolverClass of resolverClasses) instances.get(resolverClass);
  return instances;
}

/** The complete schema, from the resolvers' decorators. @param instances null for a schema that is only printed */
export async function buildGraphqlSchema(instances: ResolverInstances | null): Promise<GraphQLSchema> {
  const schema = await buildSchema({
    resolvers: resolverClasses,
    ...(instances && { container: instances }),
    authChecker: checkAccess,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    // Required for subscriptions; these have their own event sources.
    pubSub: createPubSub(),
    // Services validate their input; a second validation could only disagree with theirs.
    validate: false,
  });
  if (instances) setInstances(schema, instances);
  return schema;
}
