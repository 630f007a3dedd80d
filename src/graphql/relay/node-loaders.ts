import type { GraphQLResolveInfo } from 'graphql';
import { SluiceError } from '../../errors/index.ts';
import { wholeAccount } from '../../services/object-reach.ts';
import { laneTexts } from '../../services/comparisons/comparison-rows.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { selectedFields } from '../selected-fields.ts';
import { toAuditEntry } from '../audit/audit.mapping.ts';
import { toInvoice } from '../billing/invoice.mapping.ts';
import { toBudgetStatus } from '../budgets/budget.mapping.ts';
import { toComparison, voterOf } from '../comparisons/comparison.mapping.ts';
import { toProviderCredential } from '../connections/connection.mapping.ts';
import type { GraphqlContext } from '../context.ts';
import { toLinkedIdentity, toUserSession } from '../identity/identity.mapping.ts';
import { toAccessToken } from '../keys/access-token.mapping.ts';
import { toApiKey } from '../keys/api-key.mapping.ts';
import { toInvitation, toMember } from '../members/member.mapping.ts';
import { toModel, visibleTo } from '../models/model.mapping.ts';
import { answerFields, toModelResponse } from '../responses/response.mapping.ts';
import { toRoute } from '../routing/route.mapping.ts';
import { toUsageLog } from '../usage/usage-log.mapping.ts';
import { toVideo } from '../videos/video.mapping.ts';
import { toWebhook } from '../webhooks/webhook.mapping.ts';
import { toGlobalId, typeOfGlobalId, type NodeType } from './global-id.ts';
import type { LoadedNode } from './node.types.ts';

/** Finds nodes by the local part of their IDs, in any order. Omits those that the caller's account does not have. @throws SluiceError as the type's own field does */
type Loader = (
  context: GraphqlContext,
  ids: readonly string[],
  info: GraphQLResolveInfo,
) => Promise<readonly LoadedNode[]>;

/** Each requires the same permission as the type's own field. A type without a loader cannot be fetched by ID. */
const loaders: Readonly<Partial<Record<NodeType, Loader>>> = {
  User: async (context, ids) => {
    const caller = await context.require('account.read');
    if (caller.kind === 'key' || !ids.includes(caller.identity.userId)) return [];
    const { userId, email, name } = caller.identity;
    return [named('User', { id: toGlobalId('User', userId), email, name })];
  },
  UserSession: async (context, ids) => {
    const { userId, sessionId } = await context.requireSession();
    const rows = await context.services.sessions.list(userId);
    return among(ids, rows).map((row) => named('UserSession', toUserSession(row, sessionId)));
  },
  LinkedIdentity: async (context, ids) => {
    const { userId } = await context.requireSession();
    const { external, profiles } = context.services;
    const { identities } = await profiles.profile(userId);
    return among(ids, identities).map((row) => named('LinkedIdentity', toLinkedIdentity(row, external.providers)));
  },
  Account: async (context, ids) => {
    const { accountId } = await context.require('account.read');
    if (!ids.includes(accountId)) return [];
    return [named('Account', toAccount(await context.services.accounts.account(accountId)))];
  },
  Member: async (context, ids) => {
    const { accountId } = await context.require('members.read');
    const found = await context.services.members.byIds(accountId, ids);
    return found.map((member) => named('Member', toMember(member)));
  },
  Invitation: async (context, ids) => {
    const { accountId } = await context.require('members.read');
    const rows = await context.services.invitations.byIds(accountId, ids);
    return rows.map((row) => named('Invitation', toInvitation(row)));
  },
  AuditEntry: async (context, ids) => {
    const { accountId } = await context.require('audit.read');
    const { audit, members } = context.services;
    const rows = await audit.byIds(accountId, ids);
    const users = await members.users(rows.flatMap(({ actorUserId }) => actorUserId ?? []));
    return rows.map((row) => named('AuditEntry', toAuditEntry(row, users)));
  },
  ApiKey: async (context, ids) => {
    const { accountId } = await context.require('keys.read');
    const rows = await context.services.keys.byIds(accountId, ids);
    return rows.map((row) => named('ApiKey', toApiKey(row)));
  },
  AccessToken: async (context, ids) => {
    const { accountId } = await context.require('keys.read');
    const rows = await context.services.accessTokens.byIds(accountId, ids);
    return rows.map((row) => named('AccessToken', toAccessToken(row)));
  },
  Budget: async (context, ids) => {
    const { accountId } = await context.require('budgets.read');
    const views = (await context.services.budgets.list(accountId)).filter(({ known }) => ids.includes(known.rowId));
    return views.map((view) => named('BudgetStatus', toBudgetStatus(view)));
  },
  UsageLog: async (context, ids) => {
    const { accountId } = await context.require('usage.read');
    const rows = await context.services.usage.byIds(accountId, ids);
    return rows.map((row) => named('UsageLog', toUsageLog(row)));
  },
  ProviderCredential: async (context, ids) => {
    const { accountId } = await context.require('connections.read');
    const rows = await context.services.connections.list(accountId);
    return among(ids, rows).map((row) => named('ProviderCredential', toProviderCredential(row)));
  },
  Route: async (context, ids) => {
    const { accountId } = await context.require('routes.read');
    const rows = await context.services.accountRoutes.list(accountId);
    return among(ids, rows).map((row) => named('Route', toRoute(row)));
  },
  Invoice: async (context, ids) => {
    const { accountId } = await context.require('invoices.read');
    const rows = await context.services.invoices.byIds(accountId, ids);
    return rows.map((row) => named('Invoice', toInvoice(row)));
  },
  Comparison: async (context, ids, info) => {
    const caller = await context.require('comparisons.read');
    const { comparisons } = context.services;
    const views = await comparisons.byIds(caller.accountId, ids, selectedFields(info, laneTexts));
    return views.map((view) => named('Comparison', toComparison(view, voterOf(caller), comparisons.linkTo)));
  },
  Video: async (context, ids) => {
    const { accountId } = await context.require('videos.read');
    const rows = await context.services.videos.byIds(wholeAccount(accountId), ids);
    return rows.map((row) => named('Video', toVideo(row)));
  },
  ModelResponse: async (context, ids, info) => {
    const { accountId } = await context.require('responses.read');
    const withAnswers = selectedFields(info, answerFields).size > 0;
    const rows = await context.services.responses.byIds(wholeAccount(accountId), ids, withAnswers);
    return rows.map((row) => named('ModelResponse', toModelResponse(row)));
  },
  Webhook: async (context, ids) => {
    const { accountId } = await context.require('webhooks.read');
    const rows = await context.services.webhooks.list(accountId);
    return among(ids, rows).map((row) => named('Webhook', toWebhook(row)));
  },
};

/**
 * Loads nodes in the order of their IDs, with a constant number of statements per type. Null for an invalid ID, and for an object
 * that the caller's account does not have.
 */
export async function loadNodes(
  context: GraphqlContext,
  ids: readonly string[],
  info: GraphQLResolveInfo,
): Promise<readonly (LoadedNode | null)[]> {
  const types = new Map(ids.map((id) => [id, typeOfGlobalId(id)]));
  const byType = Map.groupBy(types.keys(), (id) => types.get(id)?.type ?? 'Model');
  const loaded = [...byType].map(async ([type, these]) => {
    if (type === 'Model') return loadModels(context, these);
    const nodes = await loaders[type]?.(
      context,
      these.flatMap((id) => types.get(id)?.id ?? []),
      info,
    );
    return (nodes ?? []).map((node) => [node.id, node] as const);
  });
  const found = new Map((await Promise.all(loaded.map(unlessNotFound))).flat());
  return ids.map((id) => {
    const it = types.get(id);
    return found.get(it ? toGlobalId(it.type, it.id) : id) ?? null;
  });
}

async function unlessNotFound<T>(loading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'not_found') return [];
    throw error;
  }
}

/** A model's ID is its name, which contains a slash and therefore is no other type's ID. @returns models by the requested ID */
async function loadModels(
  context: GraphqlContext,
  ids: readonly string[],
): Promise<readonly (readonly [id: string, node: LoadedNode])[]> {
  const caller = await context.require('account.read');
  const { models } = context.services;
  await models.ready(caller.accountId);
  const isVisible = visibleTo(caller);
  return ids.flatMap((id) => {
    const model = id.includes('/') ? models.find(id, caller.accountId) : undefined;
    return model && isVisible(model) ? [[id, named('Model', toModel(model))] as const] : [];
  });
}

function named<T extends { readonly id: string }, Name extends LoadedNode['__typename']>(
  typename: Name,
  node: T,
): T & { readonly __typename: Name } {
  return Object.assign(node, { __typename: typename });
}

function among<T extends { readonly id: string }>(ids: readonly string[], rows: readonly T[]): readonly T[] {
  return rows.filter((row) => ids.includes(row.id));
}
