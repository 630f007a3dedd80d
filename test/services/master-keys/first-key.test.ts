import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { keysCommand } from '../../../src/cli/keys.command.ts';
import { secretsCommand } from '../../../src/cli/secrets/secrets.command.ts';
import { establishMasterKeys } from '../../../src/composition/master-keys.ts';
import type { ConfigurationError } from '../../../src/config/environment.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { runCommand } from '../../harness/run-command.ts';
import { storeValues } from './sealed-values.ts';

const [first, second, third] = [
  'the first master key of this test, long enough',
  'the second master key of this test, long enough',
  'the third master key of this test, long enough',
] as const;

describeOnEachDatabase('the first master key of a database', (databases) => {
  let place: OpenDatabaseOptions;

  beforeEach(async () => {
    place = await databases.place();
  });

  async function inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(place);
    return work(database).finally(() => database.close());
  }

  /** As a start. @returns the versions that it knows, the current one first, or why it refuses */
  const startIn = async (database: Database, current: string, previous: string | null = null): Promise<unknown> =>
    establishMasterKeys(database, { current, previous }, null).then(
      ({ keys }) => keys.known.map(({ version }) => version),
      (error: ConfigurationError) => error.faults.join(' '),
    );
  const start = (current: string, previous: string | null = null): Promise<unknown> =>
    inDatabase((database) => startIn(database, current, previous));
  const createKey = (secret: string) =>
    runCommand('keys', keysCommand, place, ['create', randomUUID()], { SLUICE_SECRET: secret });
  /** As of a version that did not store it. */
  const forget = () => inDatabase((database) => database.query('delete from master_key_versions'));

  it('is stored by the first start, so that a start with another one is refused although nothing is encrypted', async () => {
    expect(await start(first)).toEqual([1]);
    expect(await start(first)).toEqual([1]);
    expect(await start(second)).toMatch(
      /^SLUICE_SECRET is not the current master key of this database\. Set it to the current one; for a rotation, set SLUICE_SECRET_PREVIOUS/,
    );
    expect(await start(first)).toEqual([1]);
  });

  it('is what the previous secret of a rotation has to be', async () => {
    await start(first);
    expect(await start(second, third)).toContain('Neither is SLUICE_SECRET_PREVIOUS.');
    expect(await start(first, third)).toContain('SLUICE_SECRET_PREVIOUS is no master key of this database.');
    expect(await start(second, first)).toEqual([1, 2]);
    // A server that was not restarted yet.
    expect(await start(first)).toEqual([1]);
  });

  it('is that of the first of several processes that start together', async () => {
    await inDatabase(async (database) => {
      const secrets = [first, second, first, second, first];
      const started = await Promise.all(secrets.map((secret) => startIn(database, secret)));
      const winner = secrets[started.findIndex((result) => Array.isArray(result))];
      for (const [at, result] of started.entries())
        if (secrets[at] === winner) expect(result).toEqual([1]);
        else expect(result).toContain('SLUICE_SECRET is not the current master key of this database.');
    });
  });

  it('is tested with what is stored, where a version that did not store it has used the database', async () => {
    await inDatabase((database) => storeValues(database, join(place.dataDir, 'blobs'), first));
    expect(await start(second)).toContain('SLUICE_SECRET does not decrypt what is stored in this database.');
    expect(await start(second, third)).toContain('SLUICE_SECRET_PREVIOUS does not decrypt what is stored');
    expect(await start(second, first)).toEqual([1, 2]);
    await forget();
    expect(await start(first)).toEqual([1]);
    expect(await start(second)).toContain('SLUICE_SECRET is not the current master key');
  });

  it('is known although some values are corrupt', async () => {
    await inDatabase(async (database) => {
      await storeValues(database, join(place.dataDir, 'blobs'), first);
      await database.query("update webhooks set sealed_secret = '\\x010001'");
    });
    expect(await start(first)).toEqual([1]);
  });

  it('is not guessed where only API keys depend on it', async () => {
    await inDatabase((database) => database.query("insert into accounts (id, name) values ($1, 'A')", [randomUUID()]));
    expect(await createKey(first)).toMatchObject({ code: 0 });
    await forget();
    expect(await start(second, third)).toContain('SLUICE_SECRET_PREVIOUS cannot be verified');
    const rotated = await runCommand('secrets', secretsCommand, place, ['rotate'], {
      SLUICE_SECRET: second,
      SLUICE_SECRET_PREVIOUS: third,
    });
    expect(rotated).toMatchObject({ code: 1, err: expect.stringContaining('Start a server once with the present') });
    expect(await start(first)).toEqual([1]);
    expect(await start(second, first)).toEqual([1, 2]);
    expect(await createKey(second)).toMatchObject({ code: 1 });
  });
});
