import { buildConnector } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreachable } from '../../../src/errors/index.ts';
import { HttpUpstream } from '../../../src/providers/shared/http/http-upstream.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

/** Port 9 of loopback: nothing listens there. */
const refusing = 'http://127.0.0.1:9/v1';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ openai: refusing });
});

afterAll(() => gateway.close());

const withCode = (code: string): Error => Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code });

describe('a provider that cannot be reached', () => {
  it.each([
    [withCode('ECONNREFUSED'), 'the connection was refused'],
    [withCode('ENOTFOUND'), 'its host name is not known (DNS)'],
    [withCode('UND_ERR_CONNECT_TIMEOUT'), 'no connection was established in time'],
    [withCode('CERT_HAS_EXPIRED'), 'its TLS certificate has expired'],
    [withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'the TLS handshake failed'],
    [new Error('failed', { cause: withCode('ECONNRESET') }), 'the connection was closed before a response'],
    [new AggregateError([withCode('EHOSTUNREACH')]), 'there is no network route to its host'],
    [withCode('toString'), 'the connection failed'],
    [undefined, 'the connection failed'],
  ])('is explained by the code alone: %s', (cause, reason) => {
    const { message } = unreachable({ provider: 'openai', cause });
    expect(message).toBe(
      `The provider openai could not be reached: ${reason}. Send the request again, or to another model.`,
    );
  });

  it('is explained to clients without the address of the operator', async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(answer.status).toBe(502);
    const text = await answer.text();
    expect(text).toContain('could not be reached: the connection was refused.');
    expect(text).not.toContain('127.0.0.1');
  });

  it('is named with its host to the account whose connection it is', async () => {
    const options = { provider: 'mine', baseUrl: refusing, headers: [], connectTimeoutMs: 60_000 };
    const own = new HttpUpstream({ ...options, dial: buildConnector({}) });
    const operators = new HttpUpstream(options);
    try {
      await expect(own.getJson('/v1/models')).rejects.toThrow('at 127.0.0.1:9: the connection was refused.');
      await expect(operators.getJson('/v1/models')).rejects.toThrow(
        'could not be reached: the connection was refused.',
      );
    } finally {
      await Promise.all([own.close(), operators.close()]);
    }
  });
});
