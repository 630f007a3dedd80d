import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type Clock } from '../../../../src/calendar/clock.ts';
import { SluiceError } from '../../../../src/errors/index.ts';
import { BatchLane } from '../../../../src/gateway/batches/batch-lane.ts';
import { BatchTurn } from '../../../../src/gateway/batches/batch-turn.ts';
import { ChargedEvents } from '../../../../src/gateway/batches/provider/charged-events.ts';
import type { LeasedBatch } from '../../../../src/gateway/batches/batch.ts';
import { lineIds } from '../../../../src/gateway/batches/line-identity.ts';
import type { KeyRecord } from '../../../../src/gateway/keys/key-directory.ts';
import { RequestMetrics } from '../../../../src/telemetry/metrics/request-metrics.ts';
import { UntracedRequests } from '../../../../src/telemetry/traces/request-tracer.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { completion, json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';
import { endedBatch, MemoryBatchStore, noProviderBatches, unknownLine } from './memory-batch-store.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let store: MemoryBatchStore;
const waiter = { isOver: false };

afterEach(async () => {
  waiter.isOver = false;
  await gateway.close();
  await provider.close();
});

const bodies = (count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, line) => ({
    model: 'openai/gpt-4.1-mini',
    messages: [{ role: 'user', content: `line-${line}.` }],
  }));

async function start(
  count: number,
  { batch = {}, ...options }: GatewayOptions & { batch?: Partial<LeasedBatch> } = {},
): Promise<void> {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url, ...options });
  store = new MemoryBatchStore(batch, bodies(count));
}

function turn(
  find: () => Promise<KeyRecord> = async () => gateway.key,
  providerBatches = noProviderBatches,
  clock: Clock = systemClock,
): BatchTurn {
  const { pipeline, limits } = gateway;
  return new BatchTurn(
    {
      pipeline,
      store,
      providerBatches,
      charged: new ChargedEvents(),
      connection: async () => undefined,
      limits,
      keys: { find, findBilled: find },
      lane: new BatchLane({ pipeline, limits, clock }),
      clock,
      log: { warn: () => undefined },
      openResponse: () => Promise.reject(new Error('no responses here')),
    },
    store.batch,
    waiter,
  );
}

/** The results by line: a status, or the code of a line that was not run. */
const results = (): (number | string)[] =>
  store.output.map((text) => {
    const { response, error } = JSON.parse(text);
    return response?.status_code ?? error.code;
  });

describe('a turn at a batch', () => {
  it('runs every line as one event, in chunks', async () => {
    await start(150);
    await turn().run();
    expect([store.outcome, results()]).toEqual(['completed', Array(150).fill(200)]);
    expect(store.batch.nextLine).toBe(150);
    const rows = gateway.settled();
    expect(new Set(rows.map(({ event_id: id }) => id)).size).toBe(150);
    expect(provider.requests.filter(({ body }) => body.includes('line-'))).toHaveLength(150);
  });

  it('reports its span once the batch has ended, and not where another process ends it', async () => {
    const ended = vi.spyOn(UntracedRequests.prototype, 'batchEnded');
    await start(1, { telemetry: new UntracedRequests(new RequestMetrics(), () => systemClock.now()) });
    store.isHeld = false;
    await turn().run();
    expect(ended).not.toHaveBeenCalled();
    store.isHeld = true;
    await turn().run();
    expect(ended.mock.calls).toEqual([[expect.objectContaining({ id: store.batch.id, outcome: 'completed' })]]);
    ended.mockRestore();
  });

  it('uses the same events again for lines that a dead process may have run', async () => {
    await start(3, { batch: { linesBeganAt: Date.now() - 3_600_000, isFresh: false } });
    const { id, linesBeganAt } = store.batch;
    await turn().run();
    const expected = [0, 1, 2].map((line) => lineIds(id, line, 0, linesBeganAt).eventId);
    expect(
      gateway
        .settled()
        .map(({ event_id: event }) => event)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(new Set(gateway.settled().map(({ began_at: at }) => at))).toEqual(
      new Set([new Date(linesBeganAt).toISOString()]),
    );
  });

  it('runs a line as another event after a crash between its failure and its next run', async () => {
    await start(2, { batch: { linesBeganAt: Date.now() - 5_000, isFresh: false } });
    const { id, linesBeganAt } = store.batch;
    const [failed, other] = [0, 1].map((line) => lineIds(id, line, 0, linesBeganAt).eventId);
    store.failed.add(failed ?? '');
    await turn().run();
    expect(results()).toEqual([200, 200]);
    const { beganAt = null } = store.attempts.get(0) ?? {};
    if (beganAt === null) expect.fail('no attempt was stored');
    expect(store.attempts.get(0)).toMatchObject({ isUnsent: false });
    const events = gateway.settled().map(({ event_id: event }) => event);
    expect(events.toSorted()).toEqual([lineIds(id, 0, 1, beganAt).eventId, other].toSorted());
  });

  it('runs lines under their own time where none was run before', async () => {
    await start(2, { batch: { linesBeganAt: Date.now() - 3_600_000 } });
    const startedAt = Date.now();
    await turn().run();
    for (const { began_at: at } of gateway.settled()) expect(Date.parse(at)).toBeGreaterThanOrEqual(startedAt);
    expect([...store.attempts.values()]).toMatchObject([
      { attempt: 1, isUnsent: true },
      { attempt: 1, isUnsent: true },
    ]);
    expect([...store.done.values()]).toMatchObject([{ isUnsent: false }, { isUnsent: false }]);
  });

  it('runs a line again that its provider limits, as another event', async () => {
    await start(1);
    let refusals = 2;
    const answer = completion();
    provider.answerWith((request, response) => {
      if (refusals-- <= 0) return answer(request, response);
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      response.end('{"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}}');
      return undefined;
    });
    await turn().run();
    expect(results()).toEqual([200]);
    const rows = gateway.settled();
    expect(rows.map(({ status }) => status)).toEqual(['failed', 'failed', 'succeeded']);
    expect(new Set(rows.map(({ event_id: id }) => id)).size).toBe(3);
    expect(store.attempts.get(0)?.attempt).toBe(2);
    expect(store.waits).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded']);
  });

  it('waits for the limits of its key, and records no rejection', async () => {
    const limits = { requestsPerMinute: 600, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 2 };
    await start(4, { key: { limits } });
    let [running, most] = [0, 0];
    const answer = completion();
    provider.answerWith(async (request, response) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      await answer(request, response);
    });
    await turn().run();
    expect(results()).toEqual([200, 200, 200, 200]);
    expect(most).toBe(1);
    expect(gateway.rejected()).toEqual([]);
  });

  it('fails the remaining lines of a revoked key', async () => {
    await start(2);
    await turn(async () => {
      throw new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } });
    }).run();
    expect([store.outcome, results()]).toEqual(['completed', [401, 401]]);
    expect(provider.requests.filter(({ body }) => body.includes('line-'))).toEqual([]);
  });

  it('fails a line that is invalid, without running it again', async () => {
    await start(1);
    store = new MemoryBatchStore({}, [{ model: 'openai/gpt-4.1-mini', messages: 'no list' }]);
    await turn().run();
    expect(results()).toEqual([400]);
    expect(store.done.get(0)).toMatchObject({ isUnsent: true });
  });

  it('leaves a batch where its turn is over, and goes on from there', async () => {
    await start(100);
    const answer = completion();
    provider.answerWith(async (request, response) => {
      if (request.body.includes('line-70.')) waiter.isOver = true;
      await answer(request, response);
    });
    await turn().run();
    expect(store.outcome).toBeNull();
    expect(store.done.size).toBeGreaterThanOrEqual(71);
    expect(store.done.size).toBeLessThan(100);
    waiter.isOver = false;
    provider.answerWith(answer);
    await turn().run();
    expect(results()).toEqual(Array(100).fill(200));
    expect(gateway.settled()).toHaveLength(100);
  });

  it('gives lines that were not run when it expires a result of their own', async () => {
    await start(3, { batch: { expiresAt: Date.now() - 1 } });
    await turn().run();
    expect([store.outcome, results()]).toEqual(['expired', ['batch_expired', 'batch_expired', 'batch_expired']]);
  });

  it('leaves no input open where it is cancelled before it begins', async () => {
    await start(3);
    const running = turn();
    running.cancel();
    await running.run();
    expect(store.outcome).toBe('cancelled');
    expect(store.openInputs).toBe(0);
  });

  it('starts no more lines once it is cancelled, and keeps the results it has', async () => {
    await start(100);
    const running = turn();
    const answer = completion();
    provider.answerWith(async (request, response) => {
      if (request.body.includes('line-20.')) running.cancel();
      await answer(request, response);
    });
    await running.run();
    expect(store.outcome).toBe('cancelled');
    expect(results()).toHaveLength(100);
    expect(results()[20]).toBe(200);
    expect(results().at(-1)).toBe('batch_cancelled');
    expect(results().filter((result) => result === 200)).toHaveLength(gateway.settled().length);
  });

  it('reads a few responses of providers at a time, also where that fails, and none once it is over', async () => {
    await start(40, { batch: { pass: 'deliver' } });
    for (let line = 0; line < 40; line++)
      store.attempts.set(line, { ...unknownLine(line), providerBatchId: endedBatch.id, answerBytes: 10 });
    let [reading, most, reads] = [0, 0, 0];
    store.readAnswer = async () => {
      most = Math.max(most, ++reading);
      await new Promise((resolve) => setImmediate(resolve));
      reading--;
      reads++;
      if (reads === 10) throw new SluiceError('database_unavailable');
      if (reads === 20) waiter.isOver = true;
      return null;
    };
    await turn(undefined, { ...noProviderBatches, list: async () => [endedBatch] }).run();
    expect([most, store.outcome, store.batch.nextLine]).toEqual([4, null, 0]);
    expect(reads).toBeGreaterThanOrEqual(20);
    expect(reads).toBeLessThan(20 + most);
  });

  it('stores nothing more once another process has the lease', async () => {
    await start(1);
    const lost = turn();
    lost.lose();
    await lost.run();
    expect([store.outcome, store.done.size]).toEqual([null, 0]);
  });
});

describe('a line whose provider fails', () => {
  const overloaded = json(503, { error: { message: 'No capacity.', type: 'server_error', code: null } });
  let clock: FakeClock;

  const startFailing = async (): Promise<void> => {
    clock = new FakeClock();
    await start(1, { pipelineClock: clock, batch: { expiresAt: clock.now() + 86_400_000 } });
    store = new MemoryBatchStore({ ...store.batch, linesBeganAt: clock.now() }, bodies(1));
    provider.answerWith(overloaded);
  };
  const next = (): BatchTurn => turn(undefined, undefined, clock);

  it('runs again five times, however many turns that takes, and has its error then', async () => {
    await startFailing();
    store.onRetry = () => {
      waiter.isOver = true;
      clock.advance(20_000);
    };
    let turns = 0;
    for (; store.outcome === null && turns < 20; turns++) {
      waiter.isOver = false;
      await next().run();
    }
    expect([turns, store.outcome, results()]).toEqual([6, 'completed', [503]]);
    expect(store.output[0]).toContain('No capacity.');
    expect(gateway.settled().map(({ status }) => status)).toEqual(Array(6).fill('failed'));
  });

  it('waits as long as it has to, also where another turn has begun', async () => {
    await startFailing();
    const retryAt = clock.now() + 15_000;
    store.attempts.set(0, { ...unknownLine(0), attempt: 5, beganAt: clock.now(), failures: 5, retryAt });
    const over = next().run();
    await clock.whenPending(1);
    await clock.advanceAsync(14_900);
    expect(gateway.settled()).toEqual([]);
    await clock.advanceAsync(100);
    await over;
    expect([store.outcome, results()]).toEqual(['completed', [503]]);
    expect(gateway.settled()).toHaveLength(1);
  });

  it.each(['cancelled', 'expired'] as const)('names its error where the batch is %s meanwhile', async (outcome) => {
    await startFailing();
    const running = next();
    store.onRetry = () => {
      if (outcome === 'cancelled') running.cancel();
      else clock.advance(86_400_000);
    };
    await running.run();
    expect([store.outcome, results()]).toEqual([outcome, [`batch_${outcome}`]]);
    expect(JSON.parse(store.output[0] ?? '').error.message).toMatch(
      /could run again\. Its last run failed: .*No capacity\./,
    );
  });
});

describe('the lane of batches', () => {
  it('runs one line at a time while many other requests are open', async () => {
    await start(0);
    const { limits, key } = gateway;
    const pipeline = { openCount: 100 };
    const lane = new BatchLane({ pipeline, limits, clock: systemClock });
    const leave = await lane.enter(waiter, key);
    let entered = false;
    const second = lane.enter(waiter, key).then((place) => {
      entered = true;
      return place;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(entered).toBe(false);
    pipeline.openCount = 99;
    leave?.();
    expect(await second).not.toBeNull();
  });

  it('leaves a tenth of a key’s requests to others', async () => {
    await start(0, {
      key: { limits: { requestsPerMinute: 20, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 } },
    });
    const { limits, key, pipeline } = gateway;
    const lane = new BatchLane({ pipeline, limits, clock: systemClock });
    const chat = (): Promise<Response> =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-sluice-test', 'content-type': 'application/json' },
        body: JSON.stringify(bodies(1)[0]),
      });
    for (let sent = 0; sent < 19; sent++) await (await chat()).text();
    const over = { isOver: false };
    const waiting = lane.enter(over, key);
    over.isOver = true;
    expect(await waiting).toBeNull();
  });
});
