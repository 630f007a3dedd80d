import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../../src/errors/index.ts';
import { BackgroundRuns } from '../../../../../src/gateway/capabilities/responses/background/background-runs.ts';
import { ConvertedRun } from '../../../../../src/gateway/capabilities/responses/background/converted-run.ts';
import {
  RunRepeater,
  type RunRepeaterDependencies,
} from '../../../../../src/gateway/capabilities/responses/background/run-repeater.ts';
import type {
  AbandonedRun,
  RepeatableRequest,
  RunError,
  RunLease,
  RunStore,
} from '../../../../../src/gateway/capabilities/responses/background/run-store.ts';
import type { RunRequest } from '../../../../../src/gateway/capabilities/responses/background/run-request.ts';
import type { ResponseSink } from '../../../../../src/gateway/capabilities/responses/response-converter.ts';
import { readResponsesRequest } from '../../../../../src/gateway/capabilities/responses/parse.ts';
import type { ResponseObject } from '../../../../../src/gateway/capabilities/responses/response-object.ts';
import { newEventIds } from '../../../../../src/gateway/event-id.ts';
import type { KeyRecord } from '../../../../../src/gateway/keys/key-directory.ts';
import { responseNames } from '../../../../../src/services/responses/response-id.ts';
import { chunk, pieces, startFakeProvider, stream, type FakeProvider } from '../../../../harness/fake-provider.ts';
import { key, startGateway, type TestGateway } from '../../../../harness/gateway.ts';

const model = 'openai/gpt-4.1-mini';
const endless = pieces([chunk({ role: 'assistant', content: 'Once' })], 'hang');

interface Release {
  readonly run: RunLease;
  readonly delayMs: number;
  readonly isCounted: boolean;
}

/** Holds what a database would. */
class MemoryStore implements RunStore {
  readonly types: string[] = [];
  readonly releases: Release[] = [];
  readonly requests: RepeatableRequest[] = [];
  final: ResponseObject | null = null;
  #changed = (): void => undefined;

  async begin(_response: unknown, request: RepeatableRequest): Promise<void> {
    this.requests.push(request);
  }

  /** How the events of each call begin, where it has a state. */
  readonly states: [status: string, types: readonly string[]][] = [];
  /** Called before events are stored. */
  onAppend = async (): Promise<void> => undefined;

  async append(
    _run: RunLease,
    events: readonly { readonly type: string; readonly sequenceNumber: number }[],
    state: ResponseObject | null,
  ): Promise<void> {
    await this.onAppend();
    this.types.push(...events.map(({ type, sequenceNumber }) => `${sequenceNumber} ${type}`));
    if (state !== null) this.states.push([state.status, this.types.map((each) => each.replace(/^\d+ /, ''))]);
    this.#changed();
  }

  async addCopy(): Promise<void> {
    expect.fail('no provider stores a chat');
  }

  async finish(_run: RunLease, response: ResponseObject): Promise<boolean> {
    this.final = response;
    this.#changed();
    return true;
  }

  async renew(): Promise<readonly string[]> {
    return [];
  }

  async release(run: RunLease, delayMs: number, isCounted: boolean): Promise<void> {
    this.releases.push({ run, delayMs, isCounted });
    this.#changed();
  }

  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await new Promise<void>((resolve) => (this.#changed = resolve));
  }
}

let provider: FakeProvider;
let gateway: TestGateway;
let store: MemoryStore;
let runs: BackgroundRuns;
let failures: [RunLease, RunError][];

beforeEach(async () => {
  provider = await startFakeProvider(endless);
  gateway = await startGateway({ openai: provider.url });
  store = new MemoryStore();
  failures = [];
  runs = new BackgroundRuns({
    pipeline: gateway.pipeline,
    store,
    names: responseNames,
    onChange: () => undefined,
    log: { warn: () => undefined },
  });
});

afterEach(async () => {
  await gateway.close();
  await runs.stop();
  await provider.close();
});

const body = { model, input: 'Hello', background: true, tools: [{ type: 'function', name: 'f' }] };

function start(around = (run: RunRequest): RunRequest => run): ReturnType<BackgroundRuns['start']> {
  const call = { ...newEventIds(), key: gateway.key, startedAt: 0, cacheMs: 0, tags: { a: 'b' }, watch: null };
  const request = readResponsesRequest(Buffer.from(JSON.stringify(body)));
  return runs.start(call, around(new ConvertedRun(request)), { input: request.input, previousId: null });
}

function abandoned(members: Partial<AbandonedRun> = {}): AbandonedRun {
  const { eventId: id } = newEventIds();
  return {
    id,
    token: 2,
    key: { id: key.id, accountId: key.accountId, memberId: null },
    previousId: null,
    input: [{ type: 'message', role: 'user', content: 'Hello' }],
    request: {
      body: { model, background: true },
      call: { cacheMs: null, tags: null, session: null, trace: null },
      isBySession: false,
    },
    response: { id: responseNames.response(id), status: 'in_progress', created_at: 1_790_000_000 },
    eventId: newEventIds().eventId,
    nextSequence: 6,
    ...members,
  };
}

/** Repeats one run. */
function repeat(run: AbandonedRun, members: Partial<RunRepeaterDependencies> = {}): RunRepeater {
  const waiting = [run];
  const { pipeline } = gateway;
  const earlier = { conversation: async () => [{ type: 'message', role: 'user', content: 'Before' }] };
  const reachOf = async () => ({ accountId: key.accountId, apiKeyId: null });
  const objects = { find: async () => new Map<string, readonly string[]>(), record: () => undefined };
  const repeater = new RunRepeater({
    runs,
    store: {
      claim: async () => {
        const [next] = waiting.splice(0);
        return next === undefined ? null : { id: next.id, run: next };
      },
      fail: async (held, error) => void failures.push([held, error]),
      release: (held, delayMs, isCounted) => store.release(held, delayMs, isCounted),
    },
    keys: { find: async () => gateway.key },
    earlier,
    names: responseNames,
    reachOf,
    relaying: { pipeline, objects, names: responseNames, earlier, reachOf, store: () => undefined },
    onChange: () => undefined,
    log: { warn: () => undefined },
    ...members,
  });
  repeater.start();
  return repeater;
}

describe('a background response', () => {
  it('is stored with what it needs to run again', async () => {
    await start();
    const { input: _apart, ...kept } = body;
    expect(store.requests).toEqual([{ body: kept, call: { cacheMs: 0, tags: { a: 'b' } }, isBySession: false }]);
  });

  it('is in progress in the store with its event, also where that arrives while others are stored', async () => {
    const arrived = Promise.withResolvers<void>();
    let calls = 0;
    // The first events are stored while the next ones arrive.
    store.onAppend = async () => {
      if (calls++ === 0) await arrived.promise;
    };
    await start((converted) => ({
      model: converted.model,
      isStreamed: converted.isStreamed,
      dropped: converted.dropped,
      repeatable: (call) => converted.repeatable(call),
      prepare(context) {
        const { events, open } = converted.prepare(context);
        const sent = (sink: ResponseSink): ResponseSink => ({
          head: (head) => sink.head(head),
          send(given) {
            const hasRoom = sink.send(given);
            if (events.running !== null) arrived.resolve();
            return hasRoom;
          },
          end: (...ending) => sink.end(...ending),
          refuse: (...refusal) => sink.refuse(...refusal),
          abort: () => sink.abort(),
        });
        return { events, open: (sink) => open(sent(sink)) };
      },
    }));
    await store.until(() => store.states.length > 0);
    const [status, types] = store.states[0] ?? expect.unreachable();
    expect(status).toBe('in_progress');
    expect(types).toContain('response.in_progress');
  });

  it('is left to the next process when its own stops', async () => {
    await start();
    await store.until(() => store.types.includes('5 response.output_text.delta'));
    await gateway.pipeline.stop(0);
    await runs.stop();
    expect(store.releases).toMatchObject([{ run: { token: 1 }, delayMs: 0, isCounted: true }]);
    expect(store.final).toBeNull();
    expect(store.types).toHaveLength(6);
  });

  it('runs again after the events of its earlier run, as one response', async () => {
    provider.answerWith(stream(['All', ' of it.']));
    const run = abandoned({ previousId: newEventIds().eventId });
    const repeater = repeat(run);
    await store.until(() => store.final !== null);
    expect(store.types).toEqual([
      '6 response.in_progress',
      '7 response.output_item.added',
      '8 response.content_part.added',
      '9 response.output_text.delta',
      '10 response.output_text.delta',
      '11 response.output_text.done',
      '12 response.content_part.done',
      '13 response.output_item.done',
      '14 response.completed',
    ]);
    expect(store.final).toMatchObject({
      id: run.response.id,
      created_at: 1_790_000_000,
      status: 'completed',
      output: [{ content: [{ text: 'All of it.' }] }],
    });
    expect(provider.requests[0]?.json.messages).toEqual([
      { role: 'user', content: 'Before' },
      { role: 'user', content: 'Hello' },
    ]);
    expect(await gateway.settledCount(1)).toMatchObject([
      { event_id: run.eventId, parent_id: `req_${run.id.replaceAll('-', '')}`, status: 'succeeded' },
    ]);
    await repeater.stop();
  });

  it('has its first events where none were stored', async () => {
    provider.answerWith(stream(['All']));
    const repeater = repeat(abandoned({ nextSequence: 0 }));
    await store.until(() => store.final !== null);
    expect(store.types.slice(0, 3)).toEqual(['0 response.created', '1 response.queued', '2 response.in_progress']);
    await repeater.stop();
  });

  it('waits for its limit', async () => {
    const limits = { ...key.limits, requestsPerMinute: 0 };
    const limited: KeyRecord = { ...gateway.key, limits };
    const repeater = repeat(abandoned(), { keys: { find: async () => limited } });
    await store.until(() => store.releases.length > 0);
    const [release] = store.releases;
    expect(release).toMatchObject({ run: { token: 2 }, isCounted: false });
    expect(release?.delayMs).toBeGreaterThan(0);
    expect([provider.requests.length, failures.length]).toEqual([0, 0]);
    await repeater.stop();
  });

  it.each([
    ['its key has ended', new SluiceError('insufficient_scope', { values: { scope: 'inference' } }), 'inference'],
    ['its account stores nothing any more', null, 'background'],
  ])('fails where %s', async (_name, error, text) => {
    const find = error === null ? async () => ({ ...gateway.key, zeroRetention: true }) : () => Promise.reject(error);
    const run = abandoned();
    const failed = Promise.withResolvers<string>();
    const repeater = repeat(run, { keys: { find }, onChange: failed.resolve });
    expect(await failed.promise).toBe(run.id);
    expect(failures).toMatchObject([
      [
        { id: run.id, token: 2 },
        { code: 'invalid_prompt', message: expect.stringContaining(text) },
      ],
    ]);
    expect(provider.requests).toHaveLength(0);
    await repeater.stop();
  });

  it('fails where its model is not available any more', async () => {
    const run = abandoned();
    const body = { ...run.request.body, model: 'nobody/nothing' };
    const failed = Promise.withResolvers<string>();
    const repeater = repeat({ ...run, request: { ...run.request, body } }, { onChange: failed.resolve });
    await failed.promise;
    expect(failures).toMatchObject([[{ id: run.id }, { message: expect.stringContaining('nobody/nothing') }]]);
    await repeater.stop();
  });
});
