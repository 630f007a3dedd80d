import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../errors/index.ts';
import type { KeyDirectory, KeyRecord } from '../gateway/key-directory.ts';

/**
 * The key that a `/v1` request calls with, at once where the directory knows it.
 * @throws SluiceError missing_api_key | invalid_api_key | expired_api_key | insufficient_scope | database_unavailable (also as the promise's rejection)
 */
export function authenticate(request: IncomingMessage, keys: KeyDirectory): KeyRecord | Promise<KeyRecord> {
  const found = keys.find(readBearer(request.headers.authorization));
  return found instanceof Promise ? found.then(requireInference) : requireInference(found);
}

function readBearer(header: string | undefined): string {
  if (header === undefined || !(header.startsWith('Bearer ') || /^bearer /i.test(header)))
    throw new SluiceError('missing_api_key');
  const secret = header.slice('bearer '.length).trim();
  if (secret === '') throw new SluiceError('missing_api_key');
  return secret;
}

function requireInference(key: KeyRecord): KeyRecord {
  if (!key.scopes.has('inference')) throw new SluiceError('insufficient_scope', { values: { scope: 'inference' } });
  return key;
}
