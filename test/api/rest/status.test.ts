import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const entry = z.strictObject({
  name: z.string(),
  state: z.enum(['operational', 'degraded', 'down', 'unknown']),
  uptime_90d: z.number().nullable(),
  days: z.array(z.number().nullable()).length(90),
});
/** Strict: anything else could be of an account. */
const form = z.strictObject({
  object: z.literal('status'),
  state: z.string(),
  updated_at: z.number(),
  since: z.iso.date(),
  providers: z.array(entry),
  capabilities: z.array(entry),
});

describe('the status of a server', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });

  afterAll(() => account.dispose());

  it('is readable by a key, and contains nothing of an account', async () => {
    const headers = { authorization: `Bearer ${account.apiKey}` };
    const response = await fetch(`${account.url}/status.json`, { headers });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { providers } = form.parse(await response.json());
    expect(providers.map(({ name }) => name)).toContain('sandbox');
  });

  it('is not readable without a session or key, or with an invalid one', async () => {
    for (const headers of [{}, { authorization: 'Bearer sk-none' }, { cookie: 'sluice_session=none' }]) {
      const response = await fetch(`${account.url}/status.json`, { headers });
      expect(response.status).toBe(401);
      expect(Object.keys(Object(await response.json()))).toEqual(['error']);
    }
    expect((await fetch(`${account.url}/status.json`, { method: 'POST' })).status).toBe(405);
  });
});

describe('the status of a server that publishes it', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer({ SLUICE_PUBLIC_STATUS: 'true' });
  });

  afterAll(() => server.dispose());

  it('is readable by everyone', async () => {
    const response = await fetch(`${server.url}/status.json`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=30']);
    const { providers, state } = form.parse(await response.json());
    expect([state, providers]).toMatchObject(['unknown', [{ name: 'sandbox', state: 'unknown', uptime_90d: null }]]);
  });
});
