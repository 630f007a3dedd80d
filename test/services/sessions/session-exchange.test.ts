import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../src/database/database.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { exchangeSession } from '../../../src/rest/authentication/exchange-session.ts';
import { SessionExchange } from '../../../src/services/sessions/session-exchange.ts';
import { SessionsService } from '../../../src/services/sessions/sessions.service.ts';
import { SiteCookies } from '../../../src/services/sessions/site-cookies.ts';
import { systemClock } from '../../../src/calendar/clock.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

const bodySchema = z.object({ email: z.string().nullable() });
const cookies = new SiteCookies('https://gate.example.com');
const origin = { address: null, userAgent: null };

describeWithDatabase('a session from before the server had an https address', (databases) => {
  let database: Database;
  let server: Server;
  let url: string;
  let before: string;
  const sessions = (): SessionsService => new SessionsService(database, systemClock, true);

  beforeAll(async () => {
    database = await databases.open();
    const em = database.em();
    const email = 'before-https@example.com';
    const { user } = buildUser(em, { email, name: 'Ada', passwordHash: null, plan: 'free' });
    before = new SessionsService(database).build(em, user, origin).token;
    await em.flush();
    const own = sessions();
    const app = express();
    app.use(exchangeSession(cookies, new SessionExchange(database, own)));
    app.get('/', async (request, response) => {
      const token = cookies.sessionIn(request.headers.cookie);
      const identity = token === null ? null : await own.authenticate(token);
      response.json({ email: identity?.email ?? null });
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
  });

  afterAll(() => server.close());

  async function ask(cookie: string): Promise<{ email: string | null; set: string[] }> {
    const response = await fetch(url, { headers: { cookie } });
    return { ...bodySchema.parse(await response.json()), set: response.headers.getSetCookie() };
  }

  it('is exchanged once for concurrent requests, and its former token becomes invalid', async () => {
    const old = `sluice_session=${before}`;
    const answers = await Promise.all([ask(old), ask(old), ask(old)]);
    expect(answers.map(({ email }) => email)).toEqual(Array(3).fill('before-https@example.com'));
    const [cleared, set = ''] = answers[0]?.set ?? [];
    expect(cleared).toMatch(/^sluice_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect(set).toMatch(/^__Host-sluice_session=h[\w-]{43}; Path=\/; Expires=.*; HttpOnly; Secure; SameSite=Lax$/);
    expect(new Set(answers.map(({ set: [, each] }) => each)).size).toBe(1);
    expect(await ask(set.split(';')[0] ?? '')).toEqual({ email: 'before-https@example.com', set: [] });
    expect(await new SessionsService(database).authenticate(before)).toBeNull();
    expect(await new SessionExchange(database, sessions()).exchange(before)).toBeNull();
  });
});
