import { SluiceError } from '../../errors/index.ts';
import { publicVideoId } from '../../services/videos/video-id.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { toAuditEntry } from '../audit/audit.mapping.ts';
import { toInvoice } from '../billing/invoice.mapping.ts';
import { toBudgetStatus } from '../budgets/budget.mapping.ts';
import { toComparison, voterOf } from '../comparisons/comparison.mapping.ts';
import { toProviderConnection } from '../connections/connection.mapping.ts';
import type { GraphqlContext } from '../context.ts';
import { toLinkedIdentity, toUserSession } from '../identity/identity.mapping.ts';
import { toApiKey } from '../keys/api-key.mapping.ts';
import { toInvitation, toMember } from '../members/member.mapping.ts';
import { toModel, visibleTo } from '../models/model.mapping.ts';
import { toRoute } from '../routing/route.mapping.ts';
import { toUsageLog } from '../usage/usage-log.mapping.ts';
import { toVideo } from '../videos/video.mapping.ts';
import { toWebhook } from '../webhooks/webhook.mapping.ts';
import { toGlobalId, typeOfGlobalId, type NodeType } from './global-id.ts';
import type { LoadedNode } from './node.types.ts';

/** Finds a node by what stands behind its id; null where the caller has none. @throws SluiceError as the type's own field does */
type Loader = (context: GraphqlContext, id: string) => Promise<LoadedNode | null>;

/** Each asks for what its type's own field asks for. A type that is absent cannot be found by its id. */
const loaders: Readonly<Partial<Record<NodeType, Loader>>> = {
  User: async (context, id) => {
    const caller = await context.require('account.read');
    if (caller.kind === 'key' || caller.identity.userId !== id) return null;
    const { email, name } = caller.identity;
    return named('User', { id: toGlobalId('User', id), email, name });
  },
  UserSession: async (context, id) => {
    const { userId, sessionId } = await context.signedIn();
    const row = byId(await context.services.sessions.list(userId), id);
    return row && named('UserSession', toUserSession(row, sessionId));
  },
  LinkedIdentity: async (context, id) => {
    const { userId } = await context.signedIn();
    const { external, profiles } = context.services;
    const row = byId((await profiles.profile(userId)).identities, id);
    return row && named('LinkedIdentity', toLinkedIdentity(row, external.providers));
  },
  Account: async (context, id) => {
    const { accountId } = await context.require('account.read');
    return accountId === id ? named('Account', toAccount(await context.services.accounts.account(id))) : null;
  },
  Member: async (context, id) => {
    const { accountId } = await context.require('members.read');
    return named('Member', toMember(await context.services.members.get(accountId, id)));
  },
  Invitation: async (context, id) => {
    const { accountId } = await context.require('members.read');
    return named('Invitation', toInvitation(await context.services.invitations.get(accountId, id)));
  },
  AuditEntry: async (context, id) => {
    const { accountId } = await context.require('audit.read');
    const { audit, members } = context.services;
    const row = await audit.get(accountId, id);
    return (
      row &&
      named('AuditEntry', toAuditEntry(row, await members.users(row.actorUserId === null ? [] : [row.actorUserId])))
    );
  },
  ApiKey: async (context, id) => {
    const { accountId } = await context.require('keys.read');
    return named('ApiKey', toApiKey(await context.services.keys.get(accountId, id)));
  },
  Budget: async (context, id) => {
    const { accountId } = await context.require('budgets.read');
    const view = (await context.services.budgets.list(accountId)).find(({ known }) => known.rowId === id);
    return view ? named('BudgetStatus', toBudgetStatus(view)) : null;
  },
  UsageLog: async (context, id) => {
    const { accountId } = await context.require('usage.read');
    const row = await context.services.usage.log(accountId, id);
    return row && named('UsageLog', toUsageLog(row));
  },
  ProviderConnection: async (context, id) => {
    const { accountId } = await context.require('connections.read');
    const row = byId(await context.services.connections.list(accountId), id);
    return row && named('ProviderConnection', toProviderConnection(row));
  },
  Route: async (context, id) => {
    const { accountId } = await context.require('routes.read');
    const row = byId(await context.services.accountRoutes.list(accountId), id);
    return row && named('Route', toRoute(row));
  },
  Invoice: async (context, id) => {
    const { accountId } = await context.require('invoices.read');
    const row = await context.services.invoices.find(accountId, id);
    return row && named('Invoice', toInvoice(row));
  },
  Comparison: async (context, id) => {
    const caller = await context.require('comparisons.read');
    const { comparisons } = context.services;
    const view = await comparisons.get(caller.accountId, id);
    return named('Comparison', toComparison(view, voterOf(caller), comparisons.linkTo));
  },
  Video: async (context, id) => {
    const { accountId } = await context.require('videos.read');
    return named('Video', toVideo(await context.services.videos.get(accountId, publicVideoId(id))));
  },
  Webhook: async (context, id) => {
    const { accountId } = await context.require('webhooks.read');
    const row = byId(await context.services.webhooks.list(accountId), id);
    return row && named('Webhook', toWebhook(row));
  },
};

/** Null for an id that is none, and for what the caller's account does not have. */
export async function loadNode(context: GraphqlContext, id: string): Promise<LoadedNode | null> {
  const known = typeOfGlobalId(id);
  try {
    if (known !== null) return (await loaders[known.type]?.(context, known.id)) ?? null;
    return await loadModel(context, id);
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'not_found') return null;
    throw error;
  }
}

/** A model's id is its name, which no other type's id can be: it holds a slash. */
async function loadModel(context: GraphqlContext, id: string): Promise<LoadedNode | null> {
  const caller = await context.require('account.read');
  if (!id.includes('/')) return null;
  await context.services.models.ready(caller.accountId);
  const model = context.services.models.find(id, caller.accountId);
  return model && visibleTo(caller)(model) ? named('Model', toModel(model)) : null;
}

function named<T extends { readonly id: string }, Name extends LoadedNode['__typename']>(
  typename: Name,
  node: T,
): T & { readonly __typename: Name } {
  return Object.assign(node, { __typename: typename });
}

function byId<T extends { readonly id: string }>(rows: readonly T[], id: string): T | null {
  return rows.find((row) => row.id === id) ?? null;
}
