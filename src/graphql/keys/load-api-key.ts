import type { GraphqlContext } from '../operation/context.ts';
import { toApiKey } from './api-key.mapping.ts';
import type { ApiKey } from './api-key.types.ts';

/** A key of the caller's account. Reads in the same turn of the event loop are batched into one query. */
export async function loadApiKey(context: GraphqlContext, keyId: string): Promise<ApiKey | null> {
  const key = await (await context.loaders()).key(keyId);
  return key?.kind === 'user' ? toApiKey(key) : null;
}
