import { Pool } from 'undici';

const prose =
  'The water rises slowly behind the gate, and whoever keeps it has to know how much may pass, and when, and to whom it belongs.\n';

export interface Load {
  readonly title: string;
  readonly warmUp: number;
  readonly requests: number;
  readonly body: string | Buffer;
  /** JSON if absent. */
  readonly contentType?: string;
  /** Requests at a time; 16 if absent. */
  readonly connections?: number;
  /** Where all are asked; `/v1/chat/completions` if absent. */
  readonly path?: string;
  /** Where the do-nothing proxy is asked, if not where all are: it brings the provider's own answer. */
  readonly proxyPath?: string;
}

/** The kinds of request that are measured. Code is compiled in stages, the last of them late: `warmUp` requests come before. */
export const loads = {
  small: { title: 'small request', warmUp: 300_000, requests: 15_000, body: chat({}, 'Say hello.') },
  stream: { title: '100-chunk stream', warmUp: 90_000, requests: 6_000, body: chat({ stream: true }, 'Say hello.') },
  large: {
    title: '100 kB prompt',
    warmUp: 60_000,
    requests: 6_000,
    body: chat({}, prose.repeat(Math.ceil(100_000 / prose.length))),
  },
  translated: {
    title: '100-chunk stream of Anthropic’s, translated',
    warmUp: 60_000,
    requests: 4_000,
    body: chat({ stream: true, model: 'anthropic/claude-sonnet-4-5' }, 'Say hello.'),
    proxyPath: '/v1/messages',
  },
  responses: {
    title: '100-chunk stream of Responses, relayed',
    warmUp: 60_000,
    requests: 4_000,
    path: '/v1/responses',
    body: JSON.stringify({ model: 'azure-openai/gpt-4.1-mini', stream: true, store: false, input: 'Say hello.' }),
  },
  messages: {
    title: '100-chunk stream of Messages, relayed',
    warmUp: 60_000,
    requests: 4_000,
    path: '/v1/messages',
    body: chat({ stream: true, model: 'anthropic/claude-sonnet-4-5', max_tokens: 200 }, 'Say hello.'),
  },
  gemini: {
    title: '100-chunk stream of Gemini, relayed',
    warmUp: 60_000,
    requests: 4_000,
    path: '/v1beta/models/gemini/gemini-2.5-flash:streamGenerateContent?alt=sse',
    proxyPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] }),
  },
} satisfies Record<string, Load>;

export type LoadName = keyof typeof loads;

export interface Target {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of a load's requests that it is sent, of a peer; all if absent. */
  readonly share?: number;
  /** Waits until all that the requests caused is done. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export const PROXY = 'do-nothing proxy';
export const SLUICE = 'Sluice';

const CHAT = '/v1/chat/completions';
export const CONCURRENCY = 16;

/** Sends requests over kept connections, a fixed number at a time. @returns each one's milliseconds */
export async function send(
  target: Target,
  load: Load,
  requests: number,
  connections = load.connections ?? CONCURRENCY,
  pool = keptPool(target, connections),
): Promise<number[]> {
  const times: number[] = [];
  const path = (target.name === PROXY ? load.proxyPath : null) ?? load.path ?? CHAT;
  let left = requests;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const startedAt = performance.now();
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': load.contentType ?? 'application/json', ...target.headers },
        body: load.body,
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200)
        throw new Error(`${target.name} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return times;
}

/** Sends as many requests over each of several connections, which are kept. */
export async function sendEvenly(target: Target, load: Load, requests: number, connections: number): Promise<void> {
  const each = Array.from({ length: connections }, (_each, number) => keptPool(target, 1, ` alone, ${number}`));
  await Promise.all(each.map((pool) => send(target, load, Math.round(requests / connections), 1, pool)));
}

/** Connections stay over all rounds: closing them makes V8 throw away what it compiled for those that go on. */
const pools = new Map<string, Pool>();

function keptPool({ url }: Target, connections: number, label = ''): Pool {
  const name = `${url} ${connections}${label}`;
  let pool = pools.get(name);
  if (pool === undefined) {
    pool = new Pool(url, {
      pipelining: 1,
      connections,
      keepAliveTimeout: 600_000,
      keepAliveMaxTimeout: 600_000,
    });
    pools.set(name, pool);
  }
  return pool;
}

export async function closeConnections(): Promise<void> {
  await Promise.all([...pools.values()].map((pool) => pool.close()));
  pools.clear();
}

/** Opens streams with a chunk each `paceMs`, and reads them until `close`. */
export async function openStreams(target: Target, count: number, paceMs = 250): Promise<{ close(): Promise<void> }> {
  const pool = new Pool(target.url, { pipelining: 1, connections: count });
  const leaving = new AbortController();
  const body = chat({ stream: true, pace: paceMs }, 'Say hello, slowly.');
  await Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await pool.request({
        path: CHAT,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...target.headers },
        body,
        signal: leaving.signal,
      });
      if (answer.statusCode !== 200)
        throw new Error(`${target.name} answered ${answer.statusCode}: ${await answer.body.text()}`);
      answer.body.on('error', () => undefined);
      await new Promise((resolve) => answer.body.once('data', resolve));
      answer.body.resume();
    }),
  );
  return {
    close: async () => {
      leaving.abort();
      await pool.destroy();
    },
  };
}

function chat(members: object, content: string): string {
  return JSON.stringify({ model: 'openai/gpt-4.1-mini', ...members, messages: [{ role: 'user', content }] });
}
