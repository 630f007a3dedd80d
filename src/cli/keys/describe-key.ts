import type { ApiKeyRates } from '../../database/entities/api-key.entity.ts';
import type { ApiKey } from '../../database/entities/index.ts';

/** A key as JSON, without secrets. Timestamps are RFC 3339. */
export function keyAsJson(key: ApiKey): object {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    scopes: key.scopes,
    role: key.role,
    allowed_models: key.allowedModels,
    model_aliases: Object.fromEntries((key.modelAliases ?? []).map(({ name, model }) => [name, model])),
    limits: {
      ...ratesAsJson(key.limits ?? {}),
      per_model: (key.limits?.perModel ?? []).map((each) => ({ model: each.model, ...ratesAsJson(each) })),
      per_capability: (key.limits?.perCapability ?? []).map((each) => ({
        capability: each.capability,
        ...ratesAsJson(each),
      })),
    },
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    previous_secret_expires_at: key.previousSecretExpiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function ratesAsJson({ requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency }: ApiKeyRates): object {
  return {
    requests_per_minute: requestsPerMinute ?? null,
    tokens_per_minute: tokensPerMinute ?? null,
    requests_per_day: requestsPerDay ?? null,
    concurrency: concurrency ?? null,
  };
}

/** A key in one line. */
export function keyAsLine(key: ApiKey): string {
  const now = Date.now();
  const { expiresAt, previousSecretExpiresAt: overlap, revokedAt } = key;
  const notes = [
    revokedAt && `revoked ${revokedAt.toISOString()}`,
    expiresAt && `${expiresAt.getTime() <= now ? 'expired' : 'expires'} ${expiresAt.toISOString()}`,
    overlap && overlap.getTime() > now && `previous secret valid until ${overlap.toISOString()}`,
  ].filter(Boolean);
  const end = notes.length === 0 ? '' : `  (${notes.join(', ')})`;
  return `${key.id}  ${key.hint}  ${key.name}  [${key.scopes.join(', ')}]${end}`;
}
