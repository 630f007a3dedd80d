import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { queryRunning, sqlText } from '../../harness/running-database.ts';
import { newAccount, signUp, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount({}, { 'sluice.yaml': 'sessions: { idle_hours: 0.5, max_hours: 2 }' });
});
afterAll(() => account.dispose());

const codeSchema = z.object({ errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional() });

/** What the session is told by each surface: null where it is let in. */
async function told(cookie: string): Promise<readonly [graphql: string | null, rest: number, socket: number | null]> {
  const answer = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ query: '{ viewer { role } }' }),
  });
  const { errors } = codeSchema.parse(await answer.json());
  const rest = await fetch(`${account.url}/v1/models`, { headers: { cookie, 'x-sluice-session': '1' } });
  await rest.arrayBuffer();
  return [errors?.[0]?.extensions.code ?? null, rest.status, await socketTold(cookie)];
}

/** The code that a socket is closed with; null where it is opened. */
function socketTold(cookie: string): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const client = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { headers: { cookie } });
      }
    },
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
    on: {
      connected: () => resolve(null),
      closed: (event) => resolve(z.object({ code: z.number() }).parse(event).code),
    },
  });
  return promise.finally(() => client.dispose());
}

/** Makes the only session of a user older. */
async function age(email: string, column: 'created_at' | 'last_seen_at', minutes: number): Promise<void> {
  await queryRunning(
    account.database,
    `update sessions set ${column} = now() - interval '${minutes} minutes'
     where user_id = (select id from users where email = ${sqlText(email)})`,
  );
}

describe('a session', () => {
  it.each([
    ['was not used', 'last_seen_at', 29, 31],
    ['began', 'created_at', 119, 121],
  ] as const)('ends on every surface where it %s for longer than configured', async (_what, column, before, after) => {
    const { cookie, email } = await signUp(account.url);
    await age(email, column, before);
    expect(await told(cookie)).toEqual([null, 200, null]);
    await age(email, column, after);
    // A process may remember it for a second.
    await expect.poll(() => told(cookie)).toEqual(['unauthenticated', 401, 4401]);
  });
});
