import { accountNodes } from '../../graphql/accounts/account.nodes.ts';
import { alertNodes } from '../../graphql/alerts/alert.nodes.ts';
import { auditNodes } from '../../graphql/audit/audit.nodes.ts';
import { invoiceNodes } from '../../graphql/billing/invoice.nodes.ts';
import { budgetNodes } from '../../graphql/budgets/budget.nodes.ts';
import { comparisonNodes } from '../../graphql/comparisons/comparison.nodes.ts';
import { connectionNodes } from '../../graphql/connections/connection.nodes.ts';
import { identityNodes } from '../../graphql/identity/identity.nodes.ts';
import { keyNodes } from '../../graphql/keys/key.nodes.ts';
import { memberNodes } from '../../graphql/members/member.nodes.ts';
import { modelNodes } from '../../graphql/models/model.nodes.ts';
import type { NodeSources } from '../../graphql/nodes/load-nodes.ts';
import { batchNodes } from '../../graphql/batches/batch.nodes.ts';
import { datasetRunNodes } from '../../graphql/dataset-runs/dataset-run.nodes.ts';
import { datasetNodes } from '../../graphql/datasets/dataset.nodes.ts';
import { feedbackNodes } from '../../graphql/feedback/feedback.nodes.ts';
import { fileNodes } from '../../graphql/files/file.nodes.ts';
import { chatCompletionNodes } from '../../graphql/chat-completions/chat-completion.nodes.ts';
import { conversationNodes } from '../../graphql/conversations/conversation.nodes.ts';
import { ConversationList } from '../../services/conversations/conversation-list.ts';
import { responseNodes } from '../../graphql/responses/response.nodes.ts';
import { routeNodes } from '../../graphql/routing/route.nodes.ts';
import { savedViewNodes } from '../../graphql/saved-views/saved-view.nodes.ts';
import { usageLogNodes } from '../../graphql/usage/usage-log.nodes.ts';
import { videoNodes } from '../../graphql/videos/video.nodes.ts';
import { webhookNodes } from '../../graphql/webhooks/webhook.nodes.ts';
import { SavedViewsService } from '../../services/saved-views/saved-views.service.ts';
import { UsageService } from '../../services/usage/usage.service.ts';
import type { ResolverDependencies } from './resolver-dependencies.ts';

/** How objects are loaded by their global IDs, for every type that has one. */
export function nodeSources({ database, reads, gateway, services }: ResolverDependencies): NodeSources {
  const { accounts, budgets, keys, router } = gateway;
  const { alerts, batches, billing, comparisons, feedback, files, identity, responses, sessions, teams, videos } =
    services;
  const { audit, invitations, members } = teams.services;
  return {
    loaders: {
      ...accountNodes(identity.accounts),
      ...identityNodes(sessions, identity.external, identity.profiles),
      ...memberNodes(members, invitations),
      ...auditNodes(audit, members),
      ...keyNodes(keys.service, keys.tokens),
      ...budgetNodes(budgets.service),
      ...usageLogNodes(new UsageService(reads, database)),
      ...connectionNodes(accounts.service),
      ...routeNodes(accounts.routes),
      ...invoiceNodes(billing.invoices),
      ...comparisonNodes(comparisons.service),
      ...videoNodes(videos.service),
      ...responseNodes(responses.responses),
      ...chatCompletionNodes(responses.chatCompletions),
      ...conversationNodes(new ConversationList(database)),
      ...batchNodes(batches.service),
      ...fileNodes(files),
      ...datasetNodes(services.datasets.reader),
      ...datasetRunNodes(services.datasetRuns.reader),
      ...alertNodes(alerts),
      ...savedViewNodes(new SavedViewsService(database)),
      ...feedbackNodes(feedback),
      ...webhookNodes(videos.webhooks),
    },
    models: modelNodes(router),
  };
}
