import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Account, AuditEntry, Webhook } from '../../../src/database/entities/index.ts';
import { systemClock, type Clock } from '../../../src/calendar/clock.ts';
import type { Database } from '../../../src/database/database.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { GuardedPost } from '../../../src/outbound/guarded-post.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { WebhookDeliveries, type DisabledWebhook } from '../../../src/services/webhooks/deliveries.ts';
import { disabledWebhookMails } from '../../../src/services/webhooks/disabled-mail.ts';
import type { WebhookEvent } from '../../../src/services/webhooks/webhook-events.ts';
import { WebhooksService } from '../../../src/services/webhooks/webhooks.service.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const event: WebhookEvent = {
  id: 'evt_0123',
  object: 'event',
  type: 'video.completed',
  created_at: 1_790_000_000,
  data: { id: 'video_1', status: 'completed', note: 'naïve — ok' },
};

let receiver: Server;
let address: string;
let statuses: number[];
let delivered: Arrivals<Delivered>;

beforeEach(async () => {
  statuses = [];
  delivered = new Arrivals();
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      delivered.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      const status = statuses.shift() ?? 200;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('what the receiver says');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const bound = receiver.address();
  address = `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
});

afterEach(() => {
  receiver.closeAllConnections();
  receiver.close();
});

interface Parts {
  readonly service: WebhooksService;
  readonly accountId: string;
  readonly database: Database;
  /** All log entries. */
  readonly logged: unknown[];
  /** The text of lines above `debug`. */
  readonly lines: string[];
  readonly disabled: DisabledWebhook[];
}

const DAY_MS = 86_400_000;

/** Makes waiting deliveries due. */
async function makeDue(database: Database): Promise<void> {
  await database.query("update pgboss.job set start_after = now() where name = 'deliver-webhook' and state < 'active'");
}

/** Attempts or postpones each waiting delivery once. */
async function deliverAll({ database }: Parts): Promise<void> {
  await makeDue(database);
  const due = `
    select from pgboss.job where name = 'deliver-webhook'
      and (state = 'active' or (state < 'active' and start_after <= now()))`;
  await vi.waitFor(async () => expect(await database.query(due)).toEqual([]), { timeout: 60_000 });
}

async function newAccount(database: Database): Promise<string> {
  const em = database.em();
  const account = em.create(Account, { name: 'A', createdAt: new Date() });
  await em.persist(account).flush();
  return account.id;
}

async function withWebhooks(
  database: Database,
  work: (parts: Parts) => Promise<void>,
  allow = [address],
  clock: Clock = systemClock,
): Promise<void> {
  const accountId = await newAccount(database);
  const logged: unknown[] = [];
  const lines: string[] = [];
  const disabled: DisabledWebhook[] = [];
  const debug = (...entry: unknown[]): unknown => logged.push(entry);
  const line = (...entry: unknown[]): void => {
    logged.push(entry);
    lines.push(String(entry[1]));
  };
  const log = { debug, info: line, warn: line, error: line };
  const jobs = new JobQueue(database, { log, pollSeconds: 0.2 });
  const vault = new CredentialVault([{ version: 1, masterKey: 'a'.repeat(32) }]);
  const post = new GuardedPost({ guard: new OutboundGuard(allow), connectTimeoutMs: 60_000, timeoutMs: 120_000 });
  const deliveries = new WebhookDeliveries(jobs, {
    database,
    vault,
    post,
    log,
    onDisabled: async (webhook) => void disabled.push(webhook),
    clock,
  });
  const service = new WebhooksService({ database, vault, post, deliveries });
  await jobs.start();
  try {
    await work({ service, accountId, database, logged, lines, disabled });
  } finally {
    await jobs.stop();
    await post.close();
  }
}

interface Silent {
  readonly host: string;
  /** The maximum number of requests that waited for a response. */
  mostHeld(): number;
  /** The event and path of each request, and of each answered one. */
  readonly received: Arrivals<string>;
  readonly answered: Arrivals<string>;
  /** Starts to respond, also to waiting requests. */
  answer(): void;
  close(): Promise<void>;
}

/** A receiver that accepts requests without a response, until it is released. */
async function startSilent(): Promise<Silent> {
  const waiting = new Set<() => void>();
  const [received, answered] = [new Arrivals<string>(), new Arrivals<string>()];
  let most = 0;
  let talks = false;
  const server = createServer(({ url = '', headers }, response) => {
    const name = `${String(headers['webhook-id'])} ${url}`;
    const answer = (): void => {
      waiting.delete(answer);
      answered.push(name);
      response.writeHead(204).end();
    };
    waiting.add(answer);
    response.on('close', () => waiting.delete(answer));
    most = Math.max(most, waiting.size);
    received.push(name);
    if (talks) setImmediate(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  return {
    host: `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`,
    received,
    mostHeld: () => most,
    answered,
    answer: () => {
      talks = true;
      for (const answer of waiting) answer();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function rowOf({ database }: Parts, id: string): Promise<Webhook | null> {
  return database.em().findOne(Webhook, { id });
}

describeWithDatabase('webhooks', (databases) => {
  test('receive events signed by Standard Webhooks', async () => {
    await withWebhooks(await databases.open(), async (parts) => {
      const { secret, webhook } = await parts.service.create(parts.accountId, {
        url: `http://${address}/hook?token=t`,
      });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const toldAt = Math.floor(Date.now() / 1_000);
      await parts.service.publish(parts.accountId, event);
      await delivered.whenLength(1);
      const [{ headers, body } = { headers: {}, body: '' }] = delivered;
      expect(JSON.parse(body)).toEqual(event);
      expect(headers['webhook-id']).toBe(event.id);
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(Number(headers['webhook-timestamp'])).toBeGreaterThanOrEqual(toldAt);
      expect(Number(headers['webhook-timestamp'])).toBeLessThanOrEqual(Date.now() / 1_000);
      // The official SDK accepts it as an OpenAI webhook.
      const { webhooks } = new OpenAI({ apiKey: 'unused' });
      const given = { 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' };
      for (const name of Object.keys(given)) Object.assign(given, { [name]: headers[name] });
      expect(await webhooks.unwrap(body, given, secret)).toEqual(event);
      await expect(webhooks.unwrap(`${body} `, given, secret)).rejects.toThrow();
      await vi.waitFor(async () => expect((await rowOf(parts, webhook.id))?.lastStatus).toBe(200), { timeout: 60_000 });
    });
  });

  test('are retried with the same body until accepted, and log state changes', async () => {
    const clock = new FakeClock(Date.now());
    const work = async (parts: Parts): Promise<void> => {
      statuses = [500, 302, 500];
      const { secret, webhook } = await parts.service.create(parts.accountId, { url: `http://${address}/` });
      await parts.service.publish(parts.accountId, event);
      for (const attempts of [1, 2, 3]) {
        await vi.waitFor(
          async () =>
            expect(await rowOf(parts, webhook.id)).toMatchObject({
              failures: attempts,
              failingSince: expect.any(Date),
            }),
          { timeout: 60_000 },
        );
        expect((await rowOf(parts, webhook.id))?.retryAt?.getTime()).toBeGreaterThan(clock.now());
        // It is not called before the retry is due.
        await deliverAll(parts);
        expect(delivered).toHaveLength(attempts);
        clock.advance(3_600_000);
        await makeDue(parts.database);
      }
      await vi.waitFor(async () => expect((await rowOf(parts, webhook.id))?.lastDeliveredAt).not.toBeNull(), {
        timeout: 60_000,
      });
      expect(await rowOf(parts, webhook.id)).toMatchObject({
        lastFailure: null,
        failures: 0,
        failingSince: null,
        retryAt: null,
      });
      expect(new Set(delivered.map(({ body }) => body)).size).toBe(1);
      expect(new Set(delivered.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event.id]));
      expect(parts.lines).toEqual(['webhook delivery failed; retrying', 'webhook works again']);
      const told = JSON.stringify(parts.logged);
      expect(told).toContain('status 500');
      expect(told).not.toContain(secret);
      expect(told).not.toContain(address);
      expect(told).not.toContain('what the receiver says');
    };
    await withWebhooks(await databases.open(), work, [address], clock);
  });

  test('are disabled after three days of failures, with two log lines, until they are enabled', async () => {
    const clock = new FakeClock(Date.now());
    const begun = clock.now();
    const work = async (parts: Parts): Promise<void> => {
      const { service, accountId, database } = parts;
      statuses = Array<number>(1_000).fill(500);
      const { webhook } = await service.create(accountId, { url: `http://${address}/hook?token=t` });
      const many = Array.from({ length: 20 }, (_, at) => ({ ...event, id: `evt_${at}` }));
      for (const each of many) await service.publish(accountId, each);
      await deliverAll(parts);
      // Deliveries that wait for a failing receiver do not call it.
      expect(delivered.length).toBeLessThanOrEqual(2);
      for (let halfDays = 1; halfDays <= 5; halfDays++) {
        clock.advance(DAY_MS / 2);
        await deliverAll(parts);
        expect(await rowOf(parts, webhook.id)).toMatchObject({ disabledAt: null });
      }
      clock.advance(DAY_MS / 2);
      await deliverAll(parts);
      expect(delivered.length).toBeLessThanOrEqual(14);
      expect(await rowOf(parts, webhook.id)).toMatchObject({
        disabledAt: new Date(clock.now()),
        failingSince: new Date(begun),
      });
      expect(parts.disabled).toEqual([
        {
          accountId,
          url: `http://${address}/hook?token=t`,
          failingSince: new Date(begun),
          reason: 'it returned status 500',
        },
      ]);
      expect(parts.lines).toEqual(['webhook delivery failed; retrying', 'webhook disabled: it failed for 3 days']);

      // Waiting deliveries are dropped, and new events are not sent.
      const attempts = delivered.length;
      await service.publish(accountId, { ...event, id: 'evt_meanwhile' });
      await deliverAll(parts);
      expect(
        await database.query("select from pgboss.job where name = 'deliver-webhook' and state < 'active'"),
      ).toEqual([]);
      expect(delivered).toHaveLength(attempts);

      statuses = [];
      await expect(service.enable(randomUUID(), webhook.id)).rejects.toMatchObject({ code: 'not_found' });
      expect(await service.enable(accountId, webhook.id)).toMatchObject({ disabledAt: null, failingSince: null });
      await service.publish(accountId, { ...event, id: 'evt_after' });
      await vi.waitFor(async () => expect((await rowOf(parts, webhook.id))?.lastDeliveredAt).not.toBeNull(), {
        timeout: 60_000,
      });
      expect(delivered.slice(attempts).map(({ headers }) => headers['webhook-id'])).toEqual(['evt_after']);
      const entries = await database
        .em()
        .find(AuditEntry, { accountId, targetType: 'webhook' }, { orderBy: { id: 'asc' } });
      expect(entries.map(({ action, actorLabel }) => [action, actorLabel])).toEqual([
        ['webhook.created', expect.anything()],
        ['webhook.disabled', 'deliver-webhook'],
        ['webhook.enabled', expect.anything()],
      ]);
    };
    await withWebhooks(await databases.open(), work, [address], clock);
  });

  test('that were disabled are reported by mail to the account’s owners, by their origin', async () => {
    const database = await databases.open();
    const em = database.em();
    const { account } = buildUser(em, { email: 'o@example.com', name: 'O', passwordHash: 'none', plan: 'free' });
    await em.flush();
    const [mail, ...others] = await disabledWebhookMails(database, {
      accountId: account.id,
      url: 'https://a.example/hook?token=t',
      failingSince: new Date('2026-11-01T00:00:00Z'),
      reason: 'it returned status 500',
    });
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: 'o@example.com', subject: expect.stringContaining('was disabled') });
    expect(mail?.text).toContain('https://a.example ');
    expect(mail?.text).toContain('2026-11-01T00:00:00.000Z');
    expect(mail?.text).not.toContain('token');
  });

  test('receive the events they are subscribed to, until they are deleted', async () => {
    await withWebhooks(await databases.open(), async ({ service, accountId }) => {
      const { webhook } = await service.create(accountId, { url: `http://${address}/`, events: ['video.failed'] });
      await service.publish(accountId, event);
      await service.publish(accountId, { ...event, id: 'evt_2', type: 'video.failed' });
      await delivered.whenLength(1);
      expect(delivered[0]?.headers['webhook-id']).toBe('evt_2');
      await service.remove(accountId, webhook.id);
      await service.publish(accountId, { ...event, id: 'evt_3', type: 'video.failed' });
      expect(await service.list(accountId)).toEqual([]);
      await expect(service.remove(accountId, webhook.id)).rejects.toMatchObject({ code: 'not_found' });
      expect(delivered).toHaveLength(1);
    });
  });

  test('that never respond delay no other account, and lose no events', async () => {
    const silent = await startSilent();
    try {
      await withWebhooks(
        await databases.open(),
        async ({ service, accountId, database }) => {
          for (let at = 0; at < 10; at++) await service.create(accountId, { url: `http://${silent.host}/${at}` });
          const other = await newAccount(database);
          await service.create(other, { url: `http://${address}/` });
          const slow = [0, 1, 2].map((at) => ({ ...event, id: `evt_slow_${at}` }));
          for (const each of slow) await service.publish(accountId, each);
          await silent.received.whenLength(2);
          // Two of the first thirty hold a server’s timeout throughout, and the others wait for them.
          for (const at of [0, 1, 2]) {
            await service.publish(other, { ...event, id: `evt_quick_${at}` });
            await delivered.whenLength(at + 1);
          }
          expect(delivered.map(({ headers }) => headers['webhook-id'])).toEqual(
            [0, 1, 2].map((at) => `evt_quick_${at}`),
          );
          expect(silent.mostHeld()).toBe(2);
          silent.answer();
          const all = slow.flatMap(({ id }) => Array.from({ length: 10 }, (_, at) => `${id} /${at}`));
          await silent.answered.whenLength(all.length);
          expect([...silent.answered].toSorted()).toEqual(all.toSorted());
          expect(silent.mostHeld()).toBe(2);
        },
        [address, silent.host],
      );
    } finally {
      await silent.close();
    }
  });

  test('stop at status 410', async () => {
    await withWebhooks(await databases.open(), async (parts) => {
      statuses = [410];
      const { webhook } = await parts.service.create(parts.accountId, { url: `http://${address}/` });
      await parts.service.publish(parts.accountId, event);
      await vi.waitFor(async () => expect((await rowOf(parts, webhook.id))?.lastStatus).toBe(410), { timeout: 60_000 });
      await vi.waitFor(
        async () => {
          const jobs = await parts.database.query("select state from pgboss.job where name = 'deliver-webhook'");
          expect(jobs).toEqual([{ state: 'completed' }]);
        },
        { timeout: 60_000 },
      );
      expect(delivered).toHaveLength(1);
    });
  });

  test('are sent to public addresses only', async () => {
    const database = await databases.open();
    await withWebhooks(
      database,
      async (parts) => {
        const { service, accountId } = parts;
        for (const url of [
          `http://${address}/`,
          'http://169.254.169.254/latest',
          'http://localhost:1/',
          'ftp://a.example/',
        ])
          await expect(service.create(accountId, { url })).rejects.toMatchObject({
            code: 'outbound_refused',
            param: 'url',
          });
        // A destination that was allowed is checked again on delivery.
        const em = database.em();
        const vault = new CredentialVault([{ version: 1, masterKey: 'a'.repeat(32) }]);
        const id = randomUUID();
        const row = em.create(Webhook, {
          id,
          account: em.getReference(Account, accountId),
          url: `http://${address}/`,
          events: ['video.completed'],
          secretHint: '…',
          sealedSecret: vault.seal(`whsec_${Buffer.alloc(32).toString('base64')}`, { accountId, rowId: id }),
          createdAt: new Date(),
        });
        await em.persist(row).flush();
        await service.publish(accountId, event);
        await vi.waitFor(
          async () => expect((await rowOf(parts, id))?.lastFailure).toBe('requests to its address are not allowed'),
          { timeout: 60_000 },
        );
        expect(delivered).toHaveLength(0);
      },
      [],
    );
  });

  test('are limited to ten per account, and isolated between accounts', async () => {
    const database = await databases.open();
    await withWebhooks(database, async ({ service, accountId }) => {
      for (let at = 0; at < 10; at++) await service.create(accountId, { url: `http://${address}/${at}` });
      const refused = service.create(accountId, { url: `http://${address}/` });
      await expect(refused).rejects.toMatchObject({ code: 'too_many_webhooks' });
      const [first] = await service.list(accountId);
      await expect(service.remove(randomUUID(), first?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
      expect(await service.list(randomUUID())).toEqual([]);
    });
  });
});
