import { systemClock } from '../../calendar/clock.ts';
import type { ApiKey as ApiKeyEntity } from '../../database/entities/index.ts';
import { expiresSoon } from '../../services/keys/key-expiry.ts';
import { toRole } from '../accounts/account.mapping.ts';
import { toContentLevel } from '../content-logging/content-level.type.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { toCursor, type PageInfo } from '../relay/page.ts';
import { toModeration } from '../routing/moderation.types.ts';
import { KeyScope, type ApiKey, type ApiKeyConnection, type ApiKeyEdge } from './api-key.types.ts';

const allScopes = Object.values(KeyScope);

export function toApiKey(row: ApiKeyEntity): ApiKey {
  return {
    id: toGlobalId('ApiKey', row.id),
    name: row.name,
    hint: row.hint,
    scopes: allScopes.filter((scope) => row.scopes.includes(scope)),
    role: row.role && toRole(row.role),
    allowedModels: row.allowedModels,
    modelAliases: [...(row.modelAliases ?? [])],
    modelAliasCount: row.modelAliases?.length ?? 0,
    limits: {
      ...row.limits,
      perModel: [...(row.limits?.perModel ?? [])],
      perCapability: [...(row.limits?.perCapability ?? [])],
      limitedModels: (row.limits?.perModel ?? []).map(({ model }) => model),
      limitedCapabilities: (row.limits?.perCapability ?? []).map(({ capability }) => capability),
    },
    liveContent: row.liveContent,
    contentLevel: row.contentLevel && toContentLevel(row.contentLevel),
    contentMayRaise: row.contentMayRaise,
    responseCacheSeconds: row.responseCacheSeconds,
    moderation: toModeration(row.moderation),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    expiresSoon: expiresSoon(row, systemClock.now()),
    previousSecretExpiresAt: ifFuture(row.previousSecretExpiresAt),
    lastUsedAt: row.lastUsedAt,
    revokedAt: row.revokedAt,
    createdById: row.createdBy?.id ?? null,
  };
}

export function toApiKeyConnection(
  rows: readonly ApiKeyEntity[],
  more: Pick<PageInfo, 'hasNextPage' | 'hasPreviousPage'>,
  count: () => Promise<number>,
): ApiKeyConnection {
  const edges: ApiKeyEdge[] = rows.map((row) => ({
    cursor: toCursor([row.createdAt.toISOString(), row.id]),
    node: toApiKey(row),
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: { ...more, startCursor: edges[0]?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null },
    count,
  };
}

function ifFuture(moment: Date | null): Date | null {
  return moment !== null && moment.getTime() > systemClock.now() ? moment : null;
}
