import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/keys/key-directory.ts';
import { apiKeyIn } from '../../services/client-request/request-credentials.ts';
import { usesSession, type SessionKeys } from './session-key.ts';

/** Authentication of `/v1`. */
export interface KeyAuthentication {
  readonly keys: KeyDirectory;
  /** Absent without a database of users. */
  readonly sessionKeys?: SessionKeys;
}

/**
 * The key of a `/v1` request; synchronous if the directory has cached it.
 * @throws SluiceError missing_api_key | conflicting_api_keys | invalid_api_key | expired_api_key | insufficient_scope | unauthenticated | forbidden | not_found | database_unavailable (also as the promise's rejection)
 */
export function authenticate(
  request: IncomingMessage,
  { keys, sessionKeys }: KeyAuthentication,
): KeyRecord | Promise<KeyRecord> {
  const secret = apiKeyIn(request.headers);
  if (secret === null) {
    if (sessionKeys && usesSession(request)) return sessionKeys.keyOf(request);
    throw new SluiceError('missing_api_key');
  }
  const found = keys.find(secret, request.socket);
  return found instanceof Promise ? found.then(requireInference) : requireInference(found);
}

function requireInference(key: KeyRecord): KeyRecord {
  if (!key.scopes.has('inference'))
    throw new SluiceError('insufficient_scope', { values: { scope: 'inference' }, refusedKey: key });
  return key;
}
