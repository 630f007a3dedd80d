import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../harness/raw-http.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

describe('a path that cannot be decoded', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });

  afterAll(() => account.dispose());

  const paths = [
    '/v1/responses/',
    '/v1/responses/resp_1/input_items/',
    '/v1/videos/',
    '/v1/models/',
    '/v1/chat/completions',
    '/media/',
    '/exports/',
    '/invoices/',
    '/auth/',
    '/graphql',
    '/models/',
    '/nowhere/',
  ];

  it.each(paths)('returns 400 at %s, with a key and without', async (path) => {
    for (const wrong of ['%ff', '%', '%e0%a4%a', 'a%00b'])
      for (const authorization of ['', `authorization: Bearer ${account.apiKey}\r\n`])
        for (const method of ['GET', 'POST', 'DELETE']) {
          const head = `${method} ${path}${wrong} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}content-length: 0\r\n\r\n`;
          const { status, body } = await exchange(account.url, head);
          expect([status, JSON.parse(body).error.code], head).toEqual([400, 'malformed_url']);
        }
  });

  it('does not affect well-formed paths', async () => {
    const { status } = await exchange(
      account.url,
      `GET /v1/models/sandbox%2Fchat HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${account.apiKey}\r\n\r\n`,
    );
    expect(status).toBe(200);
  });
});
