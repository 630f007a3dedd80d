import { randomBytes, randomUUID } from 'node:crypto';
import type { UsageRecord } from '../../src/gateway/usage/usage-record.ts';

/** A UUIDv7 of that moment. */
export function eventIdAt(moment: Date): string {
  const time = moment.getTime().toString(16).padStart(12, '0');
  const rest = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

export function usageRecord(values: Partial<UsageRecord> = {}): UsageRecord {
  const beganAt = new Date(values.began_at ?? Date.now());
  return {
    event_id: eventIdAt(beganAt),
    began_at: beganAt.toISOString(),
    account_id: randomUUID(),
    api_key_id: randomUUID(),
    member_id: null,
    capability: 'chat',
    model: 'sandbox/chat',
    requested_model: 'chat',
    provider: 'sandbox',
    status: 'succeeded',
    http_status: 200,
    error_code: null,
    streamed: true,
    estimated: false,
    input_tokens: 12,
    output_tokens: 34,
    cached_tokens: 5,
    reasoning_tokens: 6,
    units: { cacheWriteTokens: 2, audioInputTokens: 3 },
    cost_nano: '9007199254740993',
    price_version: '2026-11-01',
    rates: { input: '1.25', output: '10' },
    finish_reason: 'stop',
    duration_ms: 1500,
    first_token_ms: 120,
    end_user: 'someone',
    tags: { team: 'a "quoted" 值' },
    attempts: [{ provider: 'sandbox', model: 'chat', status: 200, error: null, duration_ms: 1499 }],
    ...values,
  };
}

/** As the drainer hands rows over. */
export function rowsJson(rows: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify(rows));
}
