import type { ConnectionSettings, Services } from '../contract.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import type { ReadError } from '../shared/http/upstream-error.ts';

/** What a provider is asked for over its own HTTP API, where its package has it in whole answers only. */
export interface NativeServices {
  /** How the key is sent, as header names and values in turn. */
  readonly authorization: (apiKey: string) => readonly string[];
  readonly readError: ReadError;
  readonly services: (upstream: HttpUpstream) => Services;
}

/** The sockets that native services have. */
export function nativeUpstream(
  provider: string,
  baseUrl: string,
  { authorization, readError }: NativeServices,
  { apiKey, connectTimeoutMs, dial, baseUrl: given }: ConnectionSettings,
): HttpUpstream {
  return new HttpUpstream({
    provider,
    baseUrl: given ?? baseUrl,
    headers: apiKey === undefined ? [] : authorization(apiKey),
    connectTimeoutMs,
    dial,
    readError,
  });
}
