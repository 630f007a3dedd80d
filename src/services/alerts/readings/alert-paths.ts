import type { AlertFilter, AlertKind } from '../../../database/entities/index.ts';

/** The page of the dashboard that shows what a rule observes, with the rule's filter. */
export function alertPath({ kind, filter }: { readonly kind: AlertKind; readonly filter: AlertFilter }): string {
  const { model, provider, apiKeyId, tag } = filter;
  const key = apiKeyId === undefined ? undefined : Buffer.from(`ApiKey:${apiKeyId}`).toString('base64url');
  if (kind === 'budget') return '/alerts';
  if (kind === 'key_expiring') return withQuery('/keys', { key });
  return withQuery('/billing/usage', {
    model,
    provider,
    key,
    tag: tag && `${tag.name}=${tag.value}`,
    status: kind === 'error_rate' || kind === 'provider_down' ? 'FAILED' : undefined,
  });
}

/** Values as JSON where the router would otherwise read a number or boolean. */
function withQuery(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, searchValue(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

function searchValue(value: string): string {
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}
