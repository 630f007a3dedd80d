import { Completions } from '../../gateway/completions/completions.ts';
import { AccountResolver } from '../../graphql/accounts/account.resolver.ts';
import { ApprovalsResolver } from '../../graphql/accounts/approvals.resolver.ts';
import { ConfirmSignUpResolver } from '../../graphql/accounts/confirm-sign-up.resolver.ts';
import { PermissionsResolver } from '../../graphql/accounts/permissions.resolver.ts';
import { SignInResolver } from '../../graphql/accounts/sign-in.resolver.ts';
import { AlertChannelsResolver } from '../../graphql/alerts/alert-channels.resolver.ts';
import { AlertHistoryResolver } from '../../graphql/alerts/alert-history.resolver.ts';
import { AlertRulesResolver } from '../../graphql/alerts/alert-rules.resolver.ts';
import { AuditResolver } from '../../graphql/audit/audit.resolver.ts';
import { FailedRefundsResolver } from '../../graphql/billing/failed-refunds.resolver.ts';
import { BalanceResolver, InvoicesResolver } from '../../graphql/billing/invoices.resolver.ts';
import { TopUpResolver } from '../../graphql/billing/top-up.resolver.ts';
import { UpcomingInvoiceResolver } from '../../graphql/billing/upcoming-invoice.resolver.ts';
import { BudgetAlertsResolver } from '../../graphql/budgets/budget-alerts.resolver.ts';
import { AccountBudgetsResolver, BudgetsResolver } from '../../graphql/budgets/budgets.resolver.ts';
import { CompareModelsResolver } from '../../graphql/comparisons/compare-models.resolver.ts';
import { ComparisonEventsResolver } from '../../graphql/comparisons/comparison-events.resolver.ts';
import { ComparisonsResolver } from '../../graphql/comparisons/comparisons.resolver.ts';
import { CallerKeys } from '../../graphql/completions/caller-keys.ts';
import { CompletionResolver } from '../../graphql/completions/completion.resolver.ts';
import { ConnectionsResolver } from '../../graphql/connections/connections.resolver.ts';
import { OwnSessionsResolver, OwnUserResolver } from '../../graphql/identity/own-user.resolver.ts';
import { ProfileResolver } from '../../graphql/identity/profile.resolver.ts';
import { TwoFactorResolver } from '../../graphql/identity/two-factor.resolver.ts';
import { AccessTokensResolver } from '../../graphql/keys/access-tokens.resolver.ts';
import { ContentLoggingResolver } from '../../graphql/content-logging/content-logging.resolver.ts';
import { ApiKeysResolver } from '../../graphql/keys/api-keys.resolver.ts';
import { BudgetKeyResolver, KeyBudgetResolver } from '../../graphql/keys/key-budget.resolver.ts';
import { KeyCountResolver, KeyNestingResolver } from '../../graphql/keys/key-nesting.resolver.ts';
import { KeyUsageResolver } from '../../graphql/usage/key-usage.resolver.ts';
import { KeySecretsResolver } from '../../graphql/keys/key-secrets.resolver.ts';
import { LiveResolver } from '../../graphql/live/live.resolver.ts';
import { AccountLifecycleResolver } from '../../graphql/members/account-lifecycle.resolver.ts';
import { InvitationsResolver } from '../../graphql/members/invitations.resolver.ts';
import { MembersResolver } from '../../graphql/members/members.resolver.ts';
import { ModelsResolver } from '../../graphql/models/models.resolver.ts';
import { NodesResolver } from '../../graphql/nodes/nodes.resolver.ts';
import { DefaultKeyLimitsResolver } from '../../graphql/plans/default-key-limits.resolver.ts';
import { PlansResolver } from '../../graphql/plans/plans.resolver.ts';
import { ResolverInstances } from '../../graphql/operation/resolver-instances.ts';
import { BatchesResolver } from '../../graphql/batches/batches.resolver.ts';
import {
  DatasetRunFieldsResolver,
  DatasetRunItemResolver,
} from '../../graphql/dataset-runs/dataset-run-fields.resolver.ts';
import { DatasetRunsResolver } from '../../graphql/dataset-runs/dataset-runs.resolver.ts';
import { DatasetsResolver } from '../../graphql/datasets/datasets.resolver.ts';
import { FilesResolver } from '../../graphql/files/files.resolver.ts';
import { ChatCompletionsResolver } from '../../graphql/chat-completions/chat-completions.resolver.ts';
import { ConversationsResolver } from '../../graphql/conversations/conversations.resolver.ts';
import { ConversationList } from '../../services/conversations/conversation-list.ts';
import { LoggedContentResolver } from '../../graphql/content-log/logged-content.resolver.ts';
import { RequestReplayResolver } from '../../graphql/content-log/request-replay.resolver.ts';
import {
  FeedbackAuthorResolver,
  RequestFeedbackResolver,
  SessionFeedbackResolver,
} from '../../graphql/feedback/feedback-fields.resolver.ts';
import { FeedbackResolver } from '../../graphql/feedback/feedback.resolver.ts';
import { SavedViewsResolver } from '../../graphql/saved-views/saved-views.resolver.ts';
import { SessionsResolver } from '../../graphql/sessions/sessions.resolver.ts';
import { ResponsesResolver } from '../../graphql/responses/responses.resolver.ts';
import { ConfiguredResolver } from '../../graphql/routing/configured.resolver.ts';
import { RoutesResolver } from '../../graphql/routing/routes.resolver.ts';
import { RoutingResolver } from '../../graphql/routing/routing.resolver.ts';
import { UsageArchiveResolver } from '../../graphql/usage/archive/usage-archive.resolver.ts';
import { UsageLogsResolver } from '../../graphql/usage/usage-logs.resolver.ts';
import { PerformanceResolver } from '../../graphql/usage/performance/performance.resolver.ts';
import { UsageReportResolver } from '../../graphql/usage/usage-report.resolver.ts';
import { UsageTickers } from '../../graphql/usage/usage-tickers.ts';
import { UsageTicksResolver } from '../../graphql/usage/usage-ticks.resolver.ts';
import { VideosResolver } from '../../graphql/videos/videos.resolver.ts';
import { WebhooksResolver } from '../../graphql/webhooks/webhooks.resolver.ts';
import { LogCoverageReader } from '../../services/usage/archive/log-coverage.ts';
import { AttemptReporter } from '../../services/usage/report/attempt-report.ts';
import { PerformanceReporter } from '../../services/usage/report/performance.ts';
import { UsageReporter } from '../../services/usage/report/usage-report.ts';
import { SavedViewsService } from '../../services/saved-views/saved-views.service.ts';
import { SortedUsage } from '../../services/usage/sorted-usage.ts';
import { UsageService } from '../../services/usage/usage.service.ts';
import { clientObjects } from '../services/client-objects.ts';
import { nodeSources } from './node-sources.ts';
import type { ResolverDependencies } from './resolver-dependencies.ts';

/** Every resolver of the schema, each with the services that it needs. */
export function buildResolvers(dependencies: ResolverDependencies): ResolverInstances {
  return new ResolverInstances([
    ...accountResolvers(dependencies),
    ...keyResolvers(dependencies),
    ...billingResolvers(dependencies),
    ...routingResolvers(dependencies),
    ...usageResolvers(dependencies),
    ...completionResolvers(dependencies),
    new NodesResolver(nodeSources(dependencies)),
  ]);
}

/** Accounts, their members and their users. */
function accountResolvers({ gateway, services }: ResolverDependencies): object[] {
  const { identity, sessions, teams } = services;
  const { accounts, external, pendingSignUps, profiles, twoFactor } = identity;
  const { approvals, audit, callers, invitations, lifecycle, members } = teams.services;
  return [
    new AccountResolver(),
    new PermissionsResolver(),
    new ContentLoggingResolver(services.contentLogging),
    new ApprovalsResolver(gateway.keys.directory, approvals),
    new SignInResolver(accounts),
    new ConfirmSignUpResolver(pendingSignUps),
    new ProfileResolver({ accounts, pendingSignUps, external, profiles, sessions }),
    new TwoFactorResolver(twoFactor, profiles),
    new OwnUserResolver(external, profiles),
    new OwnSessionsResolver(sessions),
    new AccountLifecycleResolver(lifecycle),
    new MembersResolver(members, callers),
    new InvitationsResolver(invitations, callers),
    new AuditResolver(audit, members),
  ];
}

/** API keys, access tokens and budgets. */
function keyResolvers({ reads, gateway, services }: ResolverDependencies): object[] {
  const { service: keys, tokens } = gateway.keys;
  const { passed, service: budgets } = gateway.budgets;
  const { callers } = services.teams.services;
  return [
    new ApiKeysResolver(keys, budgets, callers),
    new KeySecretsResolver(keys, callers),
    new AccessTokensResolver(tokens, callers, keys),
    new KeyUsageResolver(new UsageService(reads)),
    new KeyNestingResolver(),
    new KeyCountResolver(),
    new BudgetsResolver(budgets),
    new BudgetKeyResolver(),
    new KeyBudgetResolver(budgets),
    new AccountBudgetsResolver(budgets),
    new BudgetAlertsResolver(budgets, passed),
  ];
}

/** Plans, invoices and balances. */
function billingResolvers({ gateway, services }: ResolverDependencies): object[] {
  const { failedRefunds, includedUsage, invoices, ledger, topUps, upcomingInvoices } = services.billing.services;
  const { callers } = services.teams.services;
  const { accounts } = services.identity;
  const plans = services.plans.service;
  return [
    new BalanceResolver(ledger),
    new FailedRefundsResolver(failedRefunds),
    new InvoicesResolver(invoices),
    new TopUpResolver(topUps),
    new UpcomingInvoiceResolver(upcomingInvoices),
    new DefaultKeyLimitsResolver(plans, gateway.keys.directory),
    new PlansResolver({ accounts, plans, includedUsage, callers, topUps }),
  ];
}

/** Models, provider connections and routes. */
function routingResolvers({ gateway }: ResolverDependencies): object[] {
  const { accounts, router } = gateway;
  return [
    new ConnectionsResolver(accounts.service),
    new ModelsResolver(router),
    new RoutesResolver(accounts.routes),
    new RoutingResolver(router),
    new ConfiguredResolver(router, router),
  ];
}

/** Stored and live usage. */
function usageResolvers({ database, reads, gateway, services }: ResolverDependencies): object[] {
  const reports = new UsageReporter(reads);
  // Live requests are added to it: it has to include all before.
  const tickers = new UsageTickers(gateway.live, new UsageReporter(database));
  const usage = new UsageService(reads, database);
  return [
    new UsageArchiveResolver(new LogCoverageReader(database)),
    new UsageLogsResolver(usage, new SortedUsage(reads)),
    new LoggedContentResolver(gateway.content.service),
    new RequestReplayResolver(gateway.content.service, usage),
    new SessionsResolver(
      services.requestSessions.service,
      services.requestSessions.watcher,
      new UsageService(database),
    ),
    new FeedbackResolver(services.feedback, database),
    new FeedbackAuthorResolver(),
    new RequestFeedbackResolver(),
    new SessionFeedbackResolver(),
    new UsageReportResolver(reports),
    new PerformanceResolver(
      new PerformanceReporter(reports, new AttemptReporter(reads)),
      gateway.router,
      gateway.router,
    ),
    new UsageTicksResolver(services.plans.service, gateway.budgets.service, tickers),
    new LiveResolver(gateway.live),
    new SavedViewsResolver(new SavedViewsService(database)),
    new AlertRulesResolver(services.alerts.rules),
    new AlertChannelsResolver(services.alerts.channels),
    new AlertHistoryResolver(services.alerts.history),
  ];
}

/** Completions, comparisons and stored results. */
function completionResolvers({ database, reads, gateway, services }: ResolverDependencies): object[] {
  const { budgets, keys, pipeline, router } = gateway;
  const { callers } = services.teams.services;
  const { chatCompletions, conversations, objects, responses, runs } = services.responses;
  const { service: videos, webhooks } = services.videos;
  const comparisons = services.comparisons.service;
  const callerKeys = new CallerKeys(keys.directory, budgets.cache);
  return [
    new CompletionResolver(
      new Completions({ pipeline, objects: clientObjects(objects, callers), feeds: gateway.redis.feeds }),
      callerKeys,
    ),
    new ComparisonsResolver(comparisons, callers, callerKeys),
    new ComparisonEventsResolver(comparisons, callers),
    new CompareModelsResolver(new UsageReporter(reads), router, keys.directory),
    new ResponsesResolver(responses, runs),
    new ChatCompletionsResolver(chatCompletions),
    new ConversationsResolver(conversations, new ConversationList(database)),
    new BatchesResolver(services.batches.service, services.batches.watcher),
    new FilesResolver(services.files),
    new DatasetsResolver(services.datasets.service, services.datasets.reader),
    new DatasetRunsResolver(services.datasetRuns, callerKeys),
    new DatasetRunFieldsResolver(services.datasetRuns.reader, services.datasets.reader),
    new DatasetRunItemResolver(),
    new VideosResolver(videos),
    new WebhooksResolver(webhooks),
  ];
}
