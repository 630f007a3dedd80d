import * as fc from 'fast-check';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { compileRates, costNano } from '../../../src/catalogue/prices/price.ts';
import { tokenUsage } from '../../../src/gateway/capabilities/capability.ts';
import { eventIdAt, usageRecord } from '../../harness/usage-rows.ts';

const tags = fc.option(
  fc.dictionary(fc.constantFrom('team', 'project', '='), fc.constantFrom('a', 'b', '"c"', '値'), { maxKeys: 3 }),
);
const rate = fc.integer({ min: 0, max: 40_000 }).map((thousandths) => String(thousandths / 1_000));

/** Usage of some of these accounts and keys, priced by its own rates, within days that start at `from`. */
export function arbitraryUsage(
  accounts: readonly string[],
  keys: readonly string[],
  from: number,
  days = 3,
): fc.Arbitrary<UsageRecord> {
  return fc
    .record({
      account: fc.constantFrom(...accounts),
      key: fc.constantFrom(...keys),
      member: fc.option(fc.constantFrom(...keys)),
      at: fc.integer({ min: from, max: from + days * 86_400_000 - 1 }),
      model: fc.constantFrom('openai/gpt-5.5', 'anthropic/claude-sonnet-4-6', 'sandbox/chat'),
      capability: fc.constantFrom('chat', 'embeddings'),
      status: fc.constantFrom('succeeded', 'failed', 'aborted', 'interrupted'),
      input: fc.integer({ min: 0, max: 2_000_000 }),
      output: fc.integer({ min: 0, max: 500_000 }),
      requests: fc.constantFrom(null, null, null, 0, 3),
      rates: fc.record({ input: rate, output: rate }),
      duration: fc.integer({ min: 0, max: 900_000 }),
      firstToken: fc.option(fc.integer({ min: 0, max: 60_000 })),
      endUser: fc.option(fc.constantFrom('=1+1', 'a,b', 'plain', 'x"y\r\nz')),
      tags,
    })
    .map((drawn) => {
      const beganAt = new Date(drawn.at);
      const cost = costNano(compileRates(drawn.rates), tokenUsage(drawn.input, drawn.output));
      return usageRecord({
        event_id: eventIdAt(beganAt),
        began_at: beganAt.toISOString(),
        account_id: drawn.account,
        api_key_id: drawn.key,
        member_id: drawn.member,
        capability: drawn.capability,
        model: drawn.model,
        provider: drawn.model.split('/')[0] ?? '',
        status: drawn.status,
        input_tokens: drawn.input,
        output_tokens: drawn.output,
        cached_tokens: Math.min(drawn.input, 7),
        reasoning_tokens: Math.min(drawn.output, 3),
        units: drawn.requests === null ? null : { requests: drawn.requests },
        rates: drawn.rates,
        cost_nano: String(cost),
        duration_ms: drawn.duration,
        first_token_ms: drawn.firstToken,
        end_user: drawn.endUser,
        tags: drawn.tags,
      });
    });
}

/** The number of requests of a record. */
export function requestsOf({ units }: UsageRecord): number {
  return units?.requests ?? 1;
}

/** The sum of a field over records. */
export function sumOf(records: readonly UsageRecord[], name: 'input_tokens' | 'output_tokens' | 'duration_ms'): number {
  return records.reduce((sum, record) => sum + record[name], 0);
}

export function costOf(records: readonly UsageRecord[]): bigint {
  return records.reduce((sum, record) => sum + BigInt(record.cost_nano), 0n);
}
