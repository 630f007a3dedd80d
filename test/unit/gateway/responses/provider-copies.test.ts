import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Timer } from '../../../../src/calendar/clock.ts';
import { ProviderCopies } from '../../../../src/gateway/capabilities/responses/provider-copies.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { startGateway, type TestGateway } from '../../../harness/gateway.ts';

const SECRET = 'sk-secret-of-the-provider';
const accountId = 'account';
const copy = { connectionId: 'openai', id: 'resp_at/provider' };
const path = '/v1/responses/resp_at%2Fprovider';

let provider: FakeProvider;
let gateway: TestGateway;
/** Says how long timers are. */
class RecordingClock extends FakeClock {
  readonly delays: number[] = [];

  override setTimeout(run: () => void, ms: number): Timer {
    this.delays.push(ms);
    return super.setTimeout(run, ms);
  }
}

let clock: RecordingClock;
let warnings: [object, string][];
let forgotten: PromiseWithResolvers<unknown>;
let copies: ProviderCopies;
let before: number;

beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(() => {
  clock = new RecordingClock();
  warnings = [];
  forgotten = Promise.withResolvers();
  before = provider.requests.length;
  copies = new ProviderCopies({
    connections: {
      connection: (id) =>
        gateway.pipeline.dependencies.router.resolve(`${id}/gpt-4.1-mini`, { accountId })?.listed[0]?.connection,
    },
    objects: { forget: async (...given) => forgotten.resolve(given) },
    log: { warn: (fields, message) => void warnings.push([fields, message]) },
    clock,
  });
});

const failing = json(500, { error: { message: SECRET } });
const deleted = json(200, { id: copy.id, object: 'response', deleted: true });
const reasons = (): unknown[] => warnings.map(([fields, message]) => [fields, message.includes('retrying')]);

/** Resolves when an attempt has failed and the next one waits so long. */
const whenWaiting = (delay: number) => expect.poll(() => clock.delays.at(-1)).toBe(delay);

describe('a copy of a response at its provider', () => {
  it('is deleted once, and forgotten', async () => {
    provider.answerWith(deleted);
    copies.delete(accountId, [copy, { ...copy }]);
    expect(await forgotten.promise).toEqual([{ accountId, apiKeyId: null }, 'openai', copy.id]);
    expect(provider.requests.slice(before)).toMatchObject([{ method: 'DELETE', path, body: '' }]);
    expect(warnings).toEqual([]);
  });

  it('is deleted again after a failure, which is logged without what the provider said', async () => {
    provider.answerWith(failing);
    copies.delete(accountId, [copy]);
    await whenWaiting(1_000);
    expect(reasons()).toEqual([[{ ...copy, reason: 'status 500' }, true]]);
    expect(JSON.stringify(warnings)).not.toContain(SECRET);
    provider.answerWith(deleted);
    clock.advance(1_000);
    await forgotten.promise;
    expect(provider.requests).toHaveLength(before + 2);
    expect(warnings).toHaveLength(1);
  });

  it('stays after five failures', async () => {
    provider.answerWith(failing);
    copies.delete(accountId, [copy]);
    for (const delay of [1_000, 10_000, 60_000, 300_000]) {
      await whenWaiting(delay);
      clock.advance(delay);
    }
    await expect.poll(() => warnings.length).toBe(2);
    expect(reasons()).toEqual([
      [{ ...copy, reason: 'status 500' }, true],
      [{ ...copy, reason: 'status 500' }, false],
    ]);
    expect(clock.pending).toBe(0);
    expect(provider.requests).toHaveLength(before + 5);
  });

  it('is looked for twice where the provider does not find it', async () => {
    provider.answerWith(json(404, {}));
    copies.delete(accountId, [copy]);
    await whenWaiting(1_000);
    clock.advance(1_000);
    await forgotten.promise;
    expect(provider.requests).toHaveLength(before + 2);
    expect(warnings).toEqual([]);
  });

  it('stays where its connection is gone, or the server stops', async () => {
    copies.delete(accountId, [{ ...copy, connectionId: 'gone' }]);
    expect(reasons()).toEqual([
      [{ id: copy.id, connectionId: 'gone', reason: 'its connection no longer exists' }, false],
    ]);
    provider.answerWith(() => undefined);
    copies.delete(accountId, [copy]);
    await provider.whenRequested(before + 1);
    copies.close();
    await provider.requests.at(-1)?.aborted;
    copies.delete(accountId, [copy]);
    expect(warnings.slice(1).map(([fields]) => fields)).toEqual([
      { ...copy, reason: 'the server stops' },
      { ...copy, reason: 'the server stops' },
    ]);
    expect(clock.pending).toBe(0);
  });
});
