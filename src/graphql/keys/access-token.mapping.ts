import type { AccessToken as AccessTokenEntity } from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { AccessToken } from './access-tokens.types.ts';
import { KeyScope } from './api-key.types.ts';

const allScopes = Object.values(KeyScope);

export function toAccessToken(row: AccessTokenEntity): AccessToken {
  const { id, createdAt, expiresAt, apiKey, createdBy } = row;
  return {
    id: toGlobalId('AccessToken', id),
    scopes: allScopes.filter((scope) => row.scopes.includes(scope)),
    createdAt,
    expiresAt,
    apiKeyId: apiKey.id,
    createdById: createdBy?.id ?? null,
  };
}
