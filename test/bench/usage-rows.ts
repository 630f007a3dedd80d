import { randomBytes, randomUUID } from 'node:crypto';
import { usageDay } from '../../src/calendar/usage-day.ts';

export interface Population {
  /** The first has the most of the rows, and is not at UTC. */
  readonly accounts: readonly { readonly id: string; readonly timeZone: string; readonly keys: readonly string[] }[];
  readonly from: number;
  readonly to: number;
}

const ACCOUNTS = 20;
const KEYS = 25;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
const models = [
  'openai/gpt-5.5',
  'openai/gpt-5.5-mini',
  'anthropic/claude-sonnet-4-6',
  'anthropic/claude-haiku-4-5',
  'gemini/gemini-3-flash',
  'gemini/gemini-3-pro',
  'mistral/mistral-large-latest',
  'openai/text-embedding-3-small',
  'deepseek/deepseek-chat',
  'groq/llama-4-70b',
  'xai/grok-5',
  'openai/gpt-image-2',
] as const;
/** About one row in ten thousand. */
export const RARE_MODEL = 'voyage/rerank-3';

export function populate(): Population {
  // A day of New York's ends there.
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS - 19 * HOUR_MS;
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    id: randomUUID(),
    timeZone: index === 0 ? 'America/New_York' : 'UTC',
    keys: Array.from({ length: KEYS }, () => randomUUID()),
  }));
  return { accounts, from: to - DAYS * DAY_MS, to };
}

/** The nearer to zero the likelier: the first of twenty has about a third. */
function skewed<T>(items: readonly T[]): T {
  const item = items[Math.floor(items.length * Math.random() ** 2.8)] ?? items[0];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
}

let pool = Buffer.alloc(0);
let used = 0;

function eventIdAt(at: number): string {
  if (used === pool.length) {
    pool = randomBytes(10_000);
    used = 0;
  }
  const rest = pool.toString('hex', used, used + 10);
  used += 10;
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(1, 4)}-8${rest.slice(5, 8)}-${rest.slice(8)}`;
}

export interface RowBatch {
  readonly rows: Buffer;
  /** What they refer to. */
  readonly commons: string;
}

/** One batch as the drainer hands it over: rows that follow each other in time, spread over the days like people's work. */
export function batchOf(population: Population, first: number, rows: number, all: number): RowBatch {
  const { accounts, from, to } = population;
  const commons = new Map<string, { readonly common: number; readonly json: string }>();
  const refer = (members: object): number => {
    const text = JSON.stringify(members).slice(1);
    const common = commons.get(text)?.common ?? commons.size;
    commons.set(text, { common, json: `{"common":${common},${text}` });
    return common;
  };
  const lines = Array.from({ length: rows }, (_, index) => {
    const at = Math.floor(from + ((first + index) / all) * (to - from));
    const account = skewed(accounts);
    const model = Math.random() < 1e-4 ? RARE_MODEL : skewed(models);
    const [provider = '', name = ''] = model.split('/');
    const [input, output] = [Math.floor(3_000 * Math.random()), Math.floor(900 * Math.random())];
    const duration = Math.floor(300 * Math.exp(3 * Math.random()));
    const failed = Math.random() < 0.02;
    const attempt = { provider, model: name, status: failed ? 500 : 200, error: failed ? 'provider_error' : null };
    return JSON.stringify({
      event_id: eventIdAt(at),
      of_key: refer({ account_id: account.id, api_key_id: skewed(account.keys), member_id: null }),
      of_route: refer({
        model,
        provider,
        price_version: '2026-11-01',
        rates: { input: '1.25', output: '10', cachedInput: '0.125' },
        capability: 'chat',
        requested_model: model,
        streamed: true,
      }),
      began_at: new Date(at).toISOString(),
      ...usageDay(account.timeZone, at),
      ...(Math.random() < 0.1 && { end_user: `user-${Math.floor(1_000 * Math.random())}` }),
      ...(Math.random() < 0.2 && { tags: { team: `team-${Math.floor(8 * Math.random())}` } }),
      status: failed ? 'failed' : 'succeeded',
      http_status: failed ? 502 : 200,
      estimated: false,
      input_tokens: input,
      output_tokens: output,
      cached_tokens: Math.floor(input / 3),
      reasoning_tokens: Math.floor(output / 4),
      cost_nano: String(input * 1_250 + output * 10_000),
      finish_reason: failed ? null : 'stop',
      duration_ms: duration,
      first_token_ms: failed ? null : Math.floor(duration / 4),
      attempts: [{ ...attempt, duration_ms: duration - 1 }],
    });
  });
  return {
    rows: Buffer.from(`[${lines.join(',')}]`),
    commons: `[${[...commons.values()].map(({ json }) => json).join(',')}]`,
  };
}
