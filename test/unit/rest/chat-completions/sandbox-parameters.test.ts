import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

describe('unsupported parameters of the sandbox', () => {
  it.each([
    [{ store: true, moderation: { model: 'omni-moderation-latest' } }, 'store, moderation'],
    [{ store: false, moderation: null }, null],
  ])('of %j are listed', async (members, named) => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }], ...members }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe(named);
  });
});
