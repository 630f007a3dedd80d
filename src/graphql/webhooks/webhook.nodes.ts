import type { WebhooksService } from '../../services/webhooks/webhooks.service.ts';
import { rowsWithIds, withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toWebhook } from './webhook.mapping.ts';

/** Webhooks by their IDs. */
export function webhookNodes(webhooks: Pick<WebhooksService, 'list'>): NodeLoaders {
  return {
    Webhook: async (context, ids) => {
      const { accountId } = await context.require('webhooks.read');
      const rows = await webhooks.list(accountId);
      return rowsWithIds(ids, rows).map((row) => withTypename('Webhook', toWebhook(row)));
    },
  };
}
