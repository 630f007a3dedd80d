import { hash } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import type { HttpExchange, SettledRequest, TracedCall } from '../../gateway/telemetry/request-span.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';

const HASH_LENGTH = 16;
const hashes = new WeakMap<KeyRecord, Attributes>();

/** Attributes of an HTTP request. The path is not among them: it may contain ids of objects, and its query a key. */
export function httpAttributes({ method, route, status }: HttpExchange): Attributes {
  return {
    'http.request.method': method,
    ...(route !== null && { 'http.route': route }),
    ...(status !== null && { 'http.response.status_code': status }),
  };
}

export function callAttributes({ requestId, key }: TracedCall): Attributes {
  return { 'sluice.request.id': requestId, ...keyAttributes(key) };
}

/** Attributes of whose request it is, by which requests of one key can be found. */
export function keyAttributes(key: KeyRecord): Attributes {
  let known = hashes.get(key);
  if (known === undefined) hashes.set(key, (known = ownerAttributes(key.id, key.accountId)));
  return known;
}

/** Hashes, from which the IDs do not follow. */
export function ownerAttributes(keyId: string, accountId: string): Attributes {
  return { 'sluice.api_key.hash': hashOf(keyId), 'sluice.account.hash': hashOf(accountId) };
}

/** Attributes of what was requested, and of how it was served. Usage and cost are those of attempts. */
export function settledAttributes({ admitted, target, outcome, timing }: SettledRequest): Attributes {
  const { capability, protocol, requestedModel, routeName, streamed, trace } = admitted;
  return {
    'sluice.capability': capability,
    'sluice.requested_model': requestedModel,
    'sluice.provider': target.connection.provider,
    'sluice.model': target.model,
    'sluice.status': outcome.status,
    'sluice.streamed': streamed,
    'sluice.admission.duration': seconds(timing.admittedMs),
    ...(protocol !== null && { 'sluice.protocol': protocol }),
    ...(routeName !== '' && { 'sluice.route': routeName }),
    ...(target.cachedCostNano !== undefined && { 'sluice.cache.hit': true }),
    ...(timing.firstTokenMs !== null && { 'sluice.time_to_first_token': seconds(timing.firstTokenMs) }),
    ...(trace?.sessionId != null && { 'session.id': trace.sessionId }),
  };
}

function hashOf(id: string): string {
  return hash('sha256', id, 'hex').slice(0, HASH_LENGTH);
}

/** @param ms milliseconds */
export function seconds(ms: number): number {
  return Math.round(ms * 1_000) / 1e6;
}
