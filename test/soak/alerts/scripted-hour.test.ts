import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../src/database/database.ts';
import { Account, AlertChannel, AlertEvent } from '../../../src/database/entities/index.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { startAlertReceiver, type AlertReceiver } from '../../harness/alert-receiver.ts';
import { accountWithOwner, HOUR_START } from '../../harness/alert-usage.ts';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { shared } from '../../harness/shared-resources.ts';
import { expectedMinutes, scriptedHour } from './alert-hour.ts';

const MINUTE_MS = 60_000;
const INSTANCES = 3;
/** While the provider's outage is detected: all instances evaluate the same change. */
const KILLED_AT_MINUTE = 8;
const ROUTING_KEY = 'R'.repeat(32);

// The embedded database has one process.
describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('an hour of three instances', () => {
  let receiver: AlertReceiver;
  let database: Database;
  let databaseUrl: string;
  let drop: () => Promise<void>;
  let instances: ChildProcess[] = [];

  beforeAll(async () => {
    await shared('build');
    receiver = await startAlertReceiver();
    const { adminUrl, template } = await shared('migratedDatabase');
    const { name, url } = await createDatabase(adminUrl, template);
    drop = () => dropDatabase(adminUrl, name);
    databaseUrl = url;
    database = await openDatabase({ url, dataDir: '/nonexistent' });
  });

  afterAll(async () => {
    for (const instance of instances) instance.kill('SIGKILL');
    await database.close();
    await drop();
    await receiver.close();
  });

  async function startInstance(): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('alert-worker.ts', import.meta.url));
    const instance = fork(script, [databaseUrl, receiver.host], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await whenTold(instance, 'ready');
    return instance;
  }

  /** Evaluates at the same time on all instances. */
  async function evaluateAt(minute: number): Promise<void> {
    const at = HOUR_START + minute * MINUTE_MS;
    const killed = minute === KILLED_AT_MINUTE ? instances.pop() : undefined;
    const ended = instances.map((instance) => whenTold(instance, `${at} ended`));
    const begun = killed && whenTold(killed, `${at} begun`);
    for (const instance of [...instances, ...(killed === undefined ? [] : [killed])]) instance.send(at);
    if (killed !== undefined) {
      // What it has stored must be sent, and what it has not must be stored by another.
      await begun;
      killed.kill('SIGKILL');
      await once(killed, 'exit');
    }
    await Promise.all(ended);
  }

  async function createChannels(accountId: string): Promise<void> {
    const vault = new CredentialVault([{ version: 1, masterKey: 'a'.repeat(32) }]);
    const em = database.em();
    const account = await em.findOneOrFail(Account, { id: accountId });
    for (const kind of ['webhook', 'slack', 'teams', 'pagerduty'] as const) {
      const channel = em.create(AlertChannel, { account, name: kind, kind, hint: kind, createdAt: new Date() });
      const target = {
        url: `http://${receiver.host}/${kind}`,
        ...(kind === 'pagerduty' && { routingKey: ROUTING_KEY }),
        ...(kind === 'webhook' && { signingSecret: `whsec_${'A'.repeat(44)}` }),
      };
      channel.sealedTarget = vault.seal(JSON.stringify(target), { accountId, rowId: channel.id });
    }
    await em.flush();
  }

  it('of which one is killed fires each rule once and resolves it once, on every channel', async () => {
    const { accountId } = await accountWithOwner(database);
    await createChannels(accountId);
    const hour = await scriptedHour(database, accountId);
    instances = await Promise.all(Array.from({ length: INSTANCES }, startInstance));
    for (let minute = 0; minute <= 60; minute++) {
      await hour.play(minute);
      await evaluateAt(minute);
    }
    expect(instances).toHaveLength(INSTANCES - 1);
    const events = await database.em().find(AlertEvent, { account: accountId }, { orderBy: { createdAt: 'asc' } });
    const minutes = Object.groupBy(events, ({ kind }) => kind);
    expect(
      Object.fromEntries(
        Object.entries(minutes).map(([kind, of]) => [
          kind,
          of.map(({ transition, createdAt }) => [transition, (createdAt.getTime() - HOUR_START) / MINUTE_MS]),
        ]),
      ),
    ).toEqual(
      Object.fromEntries(
        Object.entries(expectedMinutes).map(([kind, [fired, resolved]]) => [
          kind,
          [
            ['fired', fired],
            ['resolved', resolved],
          ],
        ]),
      ),
    );
    // The lease of an attempt that the killed instance may have begun ends within the hour.
    await expect.poll(() => database.query('select from alert_deliveries where delivered_at is null')).toEqual([]);
    for (const path of ['/webhook', '/slack', '/teams', '/pagerduty']) {
      // An attempt that the killed instance made and did not record is made again, with the same body.
      const bodies = new Set(receiver.at(path).map(({ text }) => text));
      expect([path, bodies.size]).toEqual([path, events.length]);
      expect(receiver.at(path).length).toBeLessThanOrEqual(events.length + INSTANCES);
    }
    const types = Object.groupBy(receiver.at('/pagerduty'), ({ body }) => String(body.dedup_key));
    for (const of of Object.values(types)) {
      const actions = (of ?? []).map(({ body }) => body.event_action);
      expect([...new Set(actions)]).toEqual(['trigger', 'resolve']);
      expect(actions.at(-1)).toBe('resolve');
    }
    expect(Object.keys(types)).toHaveLength(events.length / 2);
  });
});

async function whenTold(instance: ChildProcess, text: string): Promise<void> {
  for await (const [message] of on(instance, 'message')) if (message === text) return;
}
