import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ServerProcess } from './server-process.ts';

const CONCURRENCY = 24;

/** One kind of request that is rejected. */
interface Kind {
  readonly path: string;
  readonly body: (index: number) => unknown;
  readonly code: string;
  readonly capability: string;
  readonly protocol: string | null;
}

const user = { role: 'user', content: 'Hello' };

const kinds: readonly Kind[] = [
  {
    path: '/v1/chat/completions',
    body: (index) => ({ model: `gpt-${index}`, messages: [user] }),
    code: 'model_not_found',
    capability: 'chat',
    protocol: 'CHAT_COMPLETIONS',
  },
  {
    // It is refused when it is converted for its provider.
    path: '/v1/messages',
    body: () => ({ model: 'sandbox/chat', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'novel' }] }] }),
    code: 'invalid_value',
    capability: 'chat',
    protocol: 'MESSAGES',
  },
  {
    path: '/v1/responses',
    body: (index) => ({ model: 'sandbox/chat', input: 'Hello', previous_response_id: `resp_${index}` }),
    code: 'previous_response_not_found',
    capability: 'chat',
    protocol: 'RESPONSES',
  },
  {
    path: '/v1beta/models/gemini-none:generateContent',
    body: () => ({ contents: [{ parts: [{ text: 'Hello' }] }] }),
    code: 'model_not_found',
    capability: 'chat',
    protocol: 'GEMINI',
  },
  {
    path: '/v1/rerank',
    body: () => '{"model":"sandbox/rerank","query":',
    code: 'invalid_json',
    capability: 'rerank',
    protocol: null,
  },
];

/** Requests by key ID and error code, by capability and error code, and by protocol. */
export interface Flood {
  readonly sent: number;
  readonly byKey: Map<string, number>;
  readonly byKeyAndCode: Map<string, number>;
  readonly byCapabilityAndCode: Map<string, number>;
  readonly byProtocol: Map<string, number>;
}

export interface FloodKey {
  readonly id: string;
  readonly secret: string;
}

/** Sends so many requests, of all kinds and keys in turn, and waits for their responses. */
export async function flood(url: string, keys: readonly FloodKey[], count: number): Promise<Flood> {
  const byKey = new Map<string, number>();
  const byKeyAndCode = new Map<string, number>();
  const byCapabilityAndCode = new Map<string, number>();
  const byProtocol = new Map<string, number>();
  const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  let next = 0;
  const send = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const kind = kinds[index % kinds.length];
      const key = keys[Math.floor(index / kinds.length) % keys.length];
      if (kind === undefined || key === undefined) throw new Error('nothing to send');
      const body = kind.body(index);
      const response = await fetch(url + kind.path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      await response.arrayBuffer();
      if (response.status < 400 || response.status >= 429)
        throw new Error(`${kind.path} was answered with ${response.status}`);
      add(byKey, key.id);
      add(byKeyAndCode, `${key.id} ${kind.code}`);
      add(byCapabilityAndCode, `${kind.capability} ${kind.code}`);
      add(byProtocol, kind.protocol ?? 'none');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
  return { sent: count, byKey, byKeyAndCode, byCapabilityAndCode, byProtocol };
}

export type Ask = (query: string, variables?: object) => Promise<unknown>;

/** Asks as the first owner's key. */
export function asking(server: Pick<ServerProcess, 'url' | 'apiKey'>): Ask {
  return async (query, variables = {}) => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerForm.parse(await response.json());
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  };
}

const answerForm = z.object({ data: z.unknown(), errors: z.array(z.unknown()).optional() });
const createdForm = z.object({ createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }) });

export async function newKey(ask: Ask, name: string): Promise<FloodKey> {
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
  const { createApiKey } = createdForm.parse(await ask(query, { input: { name } }));
  return { id: createApiKey.apiKey.id, secret: createApiKey.secret };
}

const totalForm = z.object({ usage: z.object({ total: z.object({ requests: z.number() }) }) });
const reportForm = z.object({
  usage: z.object({
    total: z.object({ requests: z.number(), errors: z.number(), cost: z.object({ usd: z.string() }).partial() }),
    groups: z.array(
      z.object({
        apiKey: z.object({ id: z.string() }),
        errorCode: z.string().nullable(),
        provider: z.string().nullable(),
        usage: z.object({ requests: z.number(), errors: z.number() }),
      }),
    ),
  }),
  apiKeys: z.object({
    nodes: z.array(
      z.object({ id: z.string(), usage: z.object({ total: z.object({ requests: z.number(), errors: z.number() }) }) }),
    ),
  }),
});

const range = {
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 86_400_000).toISOString(),
};

/** Requests in the aggregated usage. */
export async function countedRequests(ask: Ask): Promise<number> {
  const query = 'query ($range: UsageRange!) { usage(range: $range) { total { requests } } }';
  return totalForm.parse(await ask(query, { range })).usage.total.requests;
}

export interface Reported {
  readonly requests: number;
  readonly errors: number;
  readonly byKey: Map<string, number>;
  readonly byKeyAndCode: Map<string, number>;
  readonly providers: ReadonlySet<string | null>;
}

/** What the usage report and the view of each key state. */
export async function reported(ask: Ask): Promise<Reported> {
  const query = `query ($range: UsageRange!) {
    usage(range: $range, groupBy: [KEY, ERROR, PROVIDER]) {
      total { requests errors cost { usd: amount } } groups { apiKey { id } errorCode provider usage { requests errors } }
    }
    apiKeys { nodes { id usage(range: $range) { total { requests errors } } } }
  }`;
  const { usage, apiKeys } = reportForm.parse(await ask(query, { range }));
  const used = apiKeys.nodes.filter((node) => node.usage.total.requests > 0);
  return {
    requests: usage.total.requests,
    errors: usage.total.errors,
    byKey: new Map(used.map((node) => [node.id, node.usage.total.requests])),
    byKeyAndCode: new Map(usage.groups.map((group) => [`${group.apiKey.id} ${group.errorCode}`, group.usage.requests])),
    providers: new Set(usage.groups.map(({ provider }) => provider)),
  };
}

const pageForm = z.object({
  usageLogs: z.object({
    nodes: z.array(z.object({ requests: z.number(), protocol: z.string().nullable(), status: z.string() })),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
});

/** The number of rows of the log, and the requests that they count by protocol. */
export async function logRows(ask: Ask): Promise<{ readonly rows: number; readonly byProtocol: Map<string, number> }> {
  const query =
    'query ($after: Cursor) { usageLogs(first: 100, after: $after) { nodes { requests protocol status } pageInfo { hasNextPage endCursor } } }';
  const byProtocol = new Map<string, number>();
  let rows = 0;
  for (let after: string | null = null; ;) {
    const page: z.infer<typeof pageForm> = pageForm.parse(await ask(query, { after }));
    const { nodes, pageInfo } = page.usageLogs;
    rows += nodes.length;
    for (const { protocol, requests } of nodes)
      byProtocol.set(protocol ?? 'none', (byProtocol.get(protocol ?? 'none') ?? 0) + requests);
    if (!pageInfo.hasNextPage) return { rows, byProtocol };
    after = pageInfo.endCursor;
  }
}

/** `sluice_requests_rejected_total` by capability and code. */
export async function rejectedMetrics(url: string): Promise<Map<string, number>> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const samples = page.matchAll(/^sluice_requests_rejected_total\{capability="([^"]+)",code="([^"]+)"\} (\d+)$/gm);
  return new Map([...samples].map(([, capability, code, count]) => [`${capability} ${code}`, Number(count)]));
}

const checkpointForm = z.object({ event_id: z.string(), units: z.object({ requests: z.number() }).nullish() });

/** Requests that only the journal counts: they are not settled yet. */
export function checkpointedRequests(dataDir: string): number {
  const folder = join(dataDir, 'journal');
  const open = new Map<string, number>();
  for (const name of readdirSync(folder).toSorted())
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      if (!line.startsWith('B') && !line.startsWith('S') && !line.startsWith('W')) continue;
      const { event_id: id, units } = checkpointForm.parse(JSON.parse(line.slice(1)));
      if (line.startsWith('B')) open.set(id, line.includes('"status":"rejected"') ? (units?.requests ?? 1) : 0);
      else open.delete(id);
    }
  return [...open.values()].reduce((sum, count) => sum + count, 0);
}
