import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { chunk, completion, pieces, startFakeProvider, stream, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const LINES = 1_000;
const KILLS = 3;
/** The input of the response in the background. */
const BACKGROUND = 'Tell me a long story.';
/** Of server PostgreSQL, where a lease has to end first. */
const TIMEOUT_MS = 420_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const batches = (): Anthropic.Messages.Batches =>
  new Anthropic({ baseURL: server.url, apiKey: server.apiKey, maxRetries: 5 }).messages.batches;

const responses = (): OpenAI.Responses =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 5 }).responses;

/** Follows one to its end, or until the server is killed. @param events seen so far, to which new ones are added */
async function follow(id: string, events: ResponseStreamEvent[]): Promise<void> {
  const after = events.at(-1)?.sequence_number;
  const params = { stream: true as const, ...(after !== undefined && { starting_after: after }) };
  try {
    for await (const event of await responses().retrieve(id, params)) events.push(event);
  } catch {
    // The server was killed.
  }
}

const textsIn = (events: readonly ResponseStreamEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));

interface UsageRow {
  readonly status: string;
  readonly kind: string | null;
  readonly rows: number;
  readonly events: number;
  readonly cost: string;
  readonly parents: readonly (string | null)[];
}

/** Of the stopped server. */
async function usageRows(): Promise<UsageRow[]> {
  const database = await openDatabase(server.database);
  try {
    return await database.query<UsageRow>(
      `select status, tags ->> 'kind' as kind, count(*)::int as rows, count(distinct event_id)::int as events,
        count(distinct cost_nano)::text as cost, json_agg(distinct parent_id) as parents
       from usage_logs where capability = 'chat' group by 1, 2 order by 1, 2`,
    );
  } finally {
    await database.close();
  }
}

describe('a server that is killed three times', () => {
  it(
    'ends a batch and a response in the background that were running: each line is billed once, and the response once beside its interrupted runs',
    async () => {
      const answer = completion();
      const endless = pieces([chunk({ role: 'assistant', content: 'Once' })], 'hang');
      let runs = 0;
      provider.answerWith(async (request, response) => {
        if (request.body.includes(BACKGROUND))
          return ++runs <= KILLS ? endless(request, response) : stream(['All', ' of it.'])(request, response);
        await new Promise((resolve) => setTimeout(resolve, 20));
        await answer(request, response);
      });
      const requests = Array.from({ length: LINES }, (_, index) => ({
        custom_id: `line-${index}`,
        params: {
          model: 'openai/gpt-4.1-mini',
          max_tokens: 20,
          messages: [{ role: 'user' as const, content: `line-${index}.` }],
        },
      }));
      const { id } = await batches().create({ requests });
      const queued = await responses().create({
        model: 'openai/gpt-4.1-mini',
        input: BACKGROUND,
        background: true,
        metadata: { kind: 'background' },
      });
      const events: ResponseStreamEvent[] = [];
      for (let kill = 1; kill <= KILLS; kill++) {
        await provider.whenRequested(kill * 200);
        const following = follow(queued.id, events);
        await expect.poll(() => textsIn(events).length, { timeout: TIMEOUT_MS }).toBe(kill);
        expect((await batches().retrieve(id)).processing_status).toBe('in_progress');
        await server.end('SIGKILL');
        await following;
        server = await server.restart();
      }
      await follow(queued.id, events);
      const done = await responses().retrieve(queued.id);
      expect(done).toMatchObject({ id: queued.id, status: 'completed', created_at: queued.created_at, error: null });
      expect(done.output_text).toBe('All of it.');
      expect(done.output).toHaveLength(1);
      expect(runs).toBe(KILLS + 1);
      // One sequence, in which each run starts with an event of its own.
      expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
      const begun = ['response.in_progress', 'response.output_item.added', 'response.content_part.added'];
      expect(events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.queued',
        ...Array.from({ length: KILLS }, () => [...begun, 'response.output_text.delta']).flat(),
        ...begun,
        'response.output_text.delta',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      const last = events.at(-1);
      expect(last?.type === 'response.completed' && last.response.output).toEqual(done.output);
      await expect
        .poll(async () => (await batches().retrieve(id)).processing_status, { timeout: TIMEOUT_MS, interval: 500 })
        .toBe('ended');
      const { request_counts: counts } = await batches().retrieve(id);
      expect(counts).toEqual({ processing: 0, succeeded: LINES, errored: 0, canceled: 0, expired: 0 });
      const ids: string[] = [];
      for await (const { custom_id: customId, result } of await batches().results(id)) {
        expect(result.type).toBe('succeeded');
        ids.push(customId);
      }
      expect(ids).toEqual(requests.map(({ custom_id: customId }) => customId));
      const lines = provider.requests.flatMap(({ body }) => /line-\d+\./.exec(body) ?? []);
      expect(new Set(lines).size).toBe(LINES);
      // Those that were running at each kill ran again.
      expect(lines.length).toBeGreaterThan(LINES);
      await server.end('SIGTERM');
      const request = queued.id.replace('resp_', 'req_');
      expect(await usageRows()).toEqual([
        { status: 'interrupted', kind: 'background', rows: 3, events: 3, cost: '1', parents: [request, null] },
        { status: 'succeeded', kind: 'background', rows: 1, events: 1, cost: '1', parents: [request] },
        { status: 'succeeded', kind: null, rows: LINES, events: LINES, cost: '1', parents: [null] },
      ]);
    },
    TIMEOUT_MS,
  );
});
