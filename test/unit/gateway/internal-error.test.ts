import { afterEach, describe, expect, it, vi } from 'vitest';
import { Metering } from '../../../src/gateway/usage/metering.ts';
import { key, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

function ask(stream: boolean): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', stream, messages: [{ role: 'user', content: 'Hi' }] }),
  });
}

describe('a request whose settlement fails', () => {
  it.each([true, false])('is settled without usage and releases its limits (streamed: %s)', async (stream) => {
    gateway = await startGateway({ key: { limits: { ...key.limits, concurrency: 1 } } });
    const pricing = vi.spyOn(Metering.prototype, 'costOf').mockImplementation(() => {
      throw new Error('no price');
    });
    await ask(stream).then(
      (response) => expect(response.text()).rejects.toThrow(),
      () => undefined,
    );
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      status: 'failed',
      error_code: 'internal_error',
      http_status: 500,
      input_tokens: 0,
      output_tokens: 0,
      cost_nano: '0',
    });
    pricing.mockRestore();
    const next = await ask(stream);
    expect([next.status, await next.text()]).toEqual([200, expect.any(String)]);
    expect(await gateway.settledCount(2)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }]);
  });
});
