import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { connectionsCommand } from '../../../src/cli/connections.command.ts';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account, ProviderConnection } from '../../../src/database/entities/index.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { noDatabase, runCommand } from '../../harness/run-command.ts';

describeWithDatabase('sluice connections', (databases) => {
  let place: OpenDatabaseOptions;

  beforeAll(async () => {
    place = await databases.place();
    const database = await openDatabase(place);
    const em = database.em();
    const account = em.create(Account, { id: randomUUID(), name: 'First' });
    const now = new Date();
    em.persist(account);
    em.persist(
      em.create(ProviderConnection, { account, provider: 'gemini', name: 'Ours', createdAt: now, updatedAt: now }),
    );
    await em.flush();
    await database.close();
  });

  const run = (...args: readonly string[]) => runCommand('connections', connectionsCommand, place, args);

  it('states the region and the data policy of a connection, and removes them', async () => {
    expect((await run('list')).out).toBe(
      'gemini  "Ours"  region not stated, training not stated, retention not stated\n',
    );
    const set = await run('set', 'google', '--region', 'eu', '--training', 'no', '--retention-days', '0', '--json');
    const stated = { provider: 'gemini', region: 'eu', trains_on_data: false, retention_days: 0 };
    expect(JSON.parse(set.out)).toMatchObject([stated]);
    await run('set', 'gemini', '--region', 'none');
    expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([{ ...stated, region: null }]);
  });

  it.each([
    [['set', 'gemini'], 'Specify at least one setting'],
    [['set', 'gemini', '--training', 'maybe'], '--training must be yes, no or none'],
    [['set', 'gemini', '--retention-days', '-1'], "'--retention-days' argument is ambiguous"],
    [['set', 'gemini', '--account', 'x', '--region', 'eu'], '--account must be a UUID'],
    [['list', 'gemini'], 'Usage:'],
    [['list', '--region', 'eu'], '`list` changes nothing'],
  ])('refuses %j before it opens the database', async (args, message) => {
    const { code, err } = await runCommand('connections', connectionsCommand, noDatabase, args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('names what is not valid or missing', async () => {
    expect((await run('set', 'gemini', '--region', 'EU West')).err).toContain('lower-case letters');
    expect((await run('set', 'openai', '--region', 'eu')).code).toBe(1);
  });
});
