import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function post(path: string, body: string) {
  const answer = await fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body,
  });
  const { error = {} } = (await answer.json()) as { error?: Record<string, unknown> };
  return { status: answer.status, code: error.code, message: error.message };
}

const chat = (more: string) => `{"model":"sandbox/chat","messages":[{"role":"user","content":"Hello"}],${more}}`;
const members = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":0`).join(',');

describe('a body of JSON', () => {
  it.each([
    ['members', chat(members(250_001)), '250000 members'],
    ['members within', chat(`"options":{${members(250_001)}}`), '250000 members'],
    ['values', chat(`"options":[${'0,'.repeat(5_000_001)}0]`), '5000000 values'],
    ['members, and no end', chat(members(250_001)).slice(0, -1), '250000 members'],
  ])('of too many %s is refused before it is parsed', async (_what, body, expected) => {
    const answer = await post('/chat/completions', body);
    expect(answer).toMatchObject({ status: 413, code: 'json_too_complex' });
    expect(answer.message).toContain(expected);
  });

  it('may contain text that looks like many members', async () => {
    const answer = await post(
      '/moderations',
      JSON.stringify({ model: 'sandbox/moderation', input: '":,'.repeat(400_000) }),
    );
    expect(answer.status).toBe(200);
  });
});
