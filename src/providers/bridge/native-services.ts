import type { ConnectionSettings, Services } from '../contract.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import type { ReadError } from '../shared/http/upstream-error.ts';

/** Services that use the provider's own HTTP API, where its package supports unstreamed responses only. */
export interface NativeServices {
  /** The headers that contain the key, names and values alternating. */
  readonly authorization: (apiKey: string) => readonly string[];
  readonly readError: ReadError;
  readonly services: (upstream: HttpUpstream) => Services;
}

/** The connection pools of native services. */
export function nativeUpstream(
  provider: string,
  baseUrl: string,
  { authorization, readError }: NativeServices,
  { apiKey, connectTimeoutMs, dial, baseUrl: configured }: ConnectionSettings,
): HttpUpstream {
  return new HttpUpstream({
    provider,
    baseUrl: configured ?? baseUrl,
    headers: apiKey === undefined ? [] : authorization(apiKey),
    connectTimeoutMs,
    dial,
    readError,
  });
}
