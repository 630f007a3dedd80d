import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RetiredConnections } from '../../../../src/gateway/routing/retired-connections.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const HOUR_MS = 60 * 60_000;

describe('the connections of an earlier configuration', () => {
  let provider: FakeProvider;
  let gateway: TestGateway;
  let respond: () => void;
  let clock: FakeClock;
  let retired: RetiredConnections;

  beforeEach(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    respond = resolve;
    provider = await startFakeProvider(async (request, response) => {
      await promise;
      await json(200, { id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] })(
        request,
        response,
      );
    });
    gateway = await startGateway({ openai: provider.url });
    clock = new FakeClock();
    retired = new RetiredConnections(clock, () => gateway.pipeline.whenOpenRequestsEnd());
  });

  afterEach(async () => {
    respond();
    await gateway.close();
    await provider.close();
  });

  function earlier() {
    const settings = { id: 'openai', apiKey: 'key', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    const connection = openConnection('openai', settings);
    return { connection, close: vi.spyOn(connection, 'close') };
  }

  function ask(): Promise<Response> {
    return fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  }

  it('are closed once the requests that were open at the change have ended, however long they take', async () => {
    const { connection, close } = earlier();
    const answer = ask();
    await provider.nextRequest();
    retired.retire([connection]);
    const later = ask();
    await clock.advanceAsync(HOUR_MS);
    expect(close).not.toHaveBeenCalled();
    respond();
    await (await answer).text();
    await expect.poll(() => close.mock.calls.length).toBe(1);
    await (await later).text();
    await retired.close();
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('are closed after a while without open requests', async () => {
    const { connection, close } = earlier();
    retired.retire([connection]);
    await clock.advanceAsync(1_000);
    expect(close).not.toHaveBeenCalled();
    await clock.advanceAsync(HOUR_MS);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('are closed at shutdown', async () => {
    const { connection, close } = earlier();
    retired.retire([connection]);
    await retired.close();
    expect(close).toHaveBeenCalledTimes(1);
  });
});
