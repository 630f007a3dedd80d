import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { doctorCommand } from '../../../src/cli/doctor/doctor.command.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { secretsCommand } from '../../../src/cli/secrets/secrets.command.ts';
import { keysCommand } from '../../../src/cli/keys.command.ts';
import { findMasterKeys } from '../../../src/composition/master-keys.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { ContentSeals } from '../../../src/gateway/reasoning/content-seals.ts';
import { KeyLookup } from '../../../src/services/keys/directory/key-lookup.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { activate } from '../../../src/services/master-keys/master-key-rows.ts';
import { Resealer } from '../../../src/services/master-keys/reseal.ts';
import { Rotation } from '../../../src/services/master-keys/rotation.ts';
import { sealedColumns } from '../../../src/services/master-keys/sealed-columns.ts';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { runCommand } from '../../harness/run-command.ts';
import { readableValues, storeValues, VALUES, type StoredValues } from './sealed-values.ts';

const [old, next, third] = [
  'the first master key of this test',
  'the second master key of this test',
  'the third master key of this test',
] as const;
const rotating = { SLUICE_SECRET: next, SLUICE_SECRET_PREVIOUS: old };

describeWithDatabase('sluice secrets rotate', (databases) => {
  let place: OpenDatabaseOptions;
  let stored: StoredValues;
  let apiKey: string;

  beforeEach(async () => {
    place = await databases.place();
    stored = await inDatabase((database) => storeValues(database, blobs(), old));
    // As the first start, it stores which key is the first one.
    apiKey = (await runCommand('keys', keysCommand, place, ['create', 'before'], { SLUICE_SECRET: old })).out.trim();
  });

  const blobs = (): string => join(place.dataDir, 'blobs');
  const rotate = (variables: Readonly<Record<string, string>> = rotating, ...args: string[]) =>
    runCommand('secrets', secretsCommand, place, ['rotate', ...args], variables);
  const readable = (keys: MasterKeys | string) =>
    inDatabase((database) => readableValues(database, blobs(), stored, keys));
  const only = (version: number, masterKey: string): MasterKeys => new MasterKeys([{ version, masterKey }]);

  async function inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(place);
    return work(database).finally(() => database.close());
  }

  /** As a database of a version that did not store it. */
  const forgetFirstKey = () => inDatabase((database) => database.query('delete from master_key_versions'));

  async function doctor(variables: Readonly<Record<string, string>>): Promise<string> {
    const { out } = await runCommand('doctor', doctorCommand, place, ['--json'], variables);
    const findings: readonly Finding[] = JSON.parse(out);
    return findings
      .filter(({ subject }) => subject === 'Master key')
      .map(({ state, text }) => `${state}: ${text}`)
      .join('\n');
  }

  it('encrypts everything again, so that the previous secret is needed no more', async () => {
    expect(await readable(old)).toBe(VALUES);
    expect(await doctor(rotating)).toContain('warning: SLUICE_SECRET is not active yet');
    const planned = await rotate(rotating, '--dry-run');
    expect(planned).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${VALUES} values would be encrypted again`),
    });
    expect(await readable(old)).toBe(VALUES);

    const done = await rotate();
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('Master key 2 is active.');
    expect(done.out).toContain(`${VALUES} values were encrypted again.`);
    expect(await readable(only(2, next))).toBe(VALUES);
    expect(await readable(only(1, old))).toBe(0);
    expect(await rotate()).toMatchObject({ code: 0, out: expect.stringContaining('0 values were encrypted again.') });
    expect(await doctor(rotating)).toContain(
      'ok: version 2, to which the rotation is complete; keep SLUICE_SECRET_PREVIOUS until',
    );
    expect(await doctor({ SLUICE_SECRET: next })).toContain(
      'ok: version 2, to which the rotation is complete; nothing needs an earlier one',
    );
  });

  it('keeps API keys valid that were hashed with earlier secrets, through several rotations', async () => {
    await rotate();
    await rotate({ SLUICE_SECRET: third, SLUICE_SECRET_PREVIOUS: next });
    expect(await readable(only(3, third))).toBe(VALUES);
    await inDatabase(async (database) => {
      const opened = await findMasterKeys(database, {
        SLUICE_SECRET: third,
        SLUICE_SECRET_PREVIOUS: undefined,
        SLUICE_DATA_DIR: place.dataDir,
      });
      if (opened === null) throw new Error('There is no master key.');
      const found = await new KeyLookup(database, new KeyPepper(opened.keys, opened.retiredPeppers)).find(apiKey);
      expect(found?.row.name).toBe('before');
      expect(await new KeyLookup(database, new KeyPepper(opened.keys)).find(apiKey)).toBeNull();
    });
  });

  it('does not need the previous secret for encrypted_content of clients that no key decrypts', async () => {
    const item = { type: 'reasoning', encrypted_content: `sluice-reasoning-2.${'A'.repeat(64)}` };
    await inDatabase((database) => database.query('update responses set input = $1', [JSON.stringify([item])]));
    expect(await rotate()).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing stored needs the previous secret.'),
      err: expect.stringContaining('1 inputs of responses cannot be decrypted by any known key'),
    });
    expect(await doctor(rotating)).toContain(
      'ok: version 2, to which the rotation is complete; keep SLUICE_SECRET_PREVIOUS until',
    );
  });

  it('says what is missing where the previous secret was removed before a rotation was complete', async () => {
    await rotate();
    await inDatabase(async (database) => {
      const secrets = { SLUICE_SECRET: third, SLUICE_SECRET_PREVIOUS: next, SLUICE_DATA_DIR: place.dataDir };
      const opened = await findMasterKeys(database, secrets);
      if (opened?.pending == null) throw new Error('There is no pending master key.');
      await activate(database, opened.keys, opened.pending);
    });
    expect(await doctor({ SLUICE_SECRET: third })).toContain('Set SLUICE_SECRET_PREVIOUS, and run');
    expect(await rotate({ SLUICE_SECRET: third, SLUICE_SECRET_PREVIOUS: next })).toMatchObject({ code: 0 });
    expect(await doctor({ SLUICE_SECRET: third })).toContain(
      'ok: version 3, to which the rotation is complete; nothing needs an earlier one',
    );
  });

  it('changes nothing where the previous secret is a wrong one, or none is given', async () => {
    expect(await rotate({ SLUICE_SECRET: next, SLUICE_SECRET_PREVIOUS: third })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Neither is SLUICE_SECRET_PREVIOUS.'),
    });
    expect(await rotate({ SLUICE_SECRET: old })).toMatchObject({ code: 2 });
    await forgetFirstKey();
    expect(await rotate({ SLUICE_SECRET: next, SLUICE_SECRET_PREVIOUS: third })).toMatchObject({
      code: 1,
      err: expect.stringContaining('SLUICE_SECRET_PREVIOUS does not decrypt what is stored'),
    });
    expect(await readable(old)).toBe(VALUES);
    await inDatabase((database) => removeSealed(database, 'contents'));
    // Only contents are left: their keys have no tag.
    expect(await rotate({ SLUICE_SECRET: next, SLUICE_SECRET_PREVIOUS: third })).toMatchObject({ code: 1 });
    expect(await rotate()).toMatchObject({ code: 0 });
  });

  it('refuses a secret that was replaced, and one that is unknown', async () => {
    await rotate();
    const refused: readonly Readonly<Record<string, string>>[] = [
      { SLUICE_SECRET: old },
      { SLUICE_SECRET: third },
      { SLUICE_SECRET: old, SLUICE_SECRET_PREVIOUS: next },
    ];
    for (const variables of refused)
      expect(await doctor(variables)).toContain(
        'failed: SLUICE_SECRET is not the current master key of this database.',
      );
    expect(await doctor({ SLUICE_SECRET: next, SLUICE_SECRET_PREVIOUS: third })).toContain(
      'failed: SLUICE_SECRET_PREVIOUS is no master key',
    );
  });

  it('says what still needs the previous secret, where a server stored it after the rotation', async () => {
    await rotate();
    await inDatabase((database) => storeValues(database, blobs(), old));
    expect(await doctor(rotating)).toMatch(
      /warning: SLUICE_SECRET_PREVIOUS is needed by 1 credentials of provider connections, /,
    );
    expect(await doctor({ SLUICE_SECRET: next })).toContain('failed: an earlier master key is needed by');
    expect(await rotate()).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${VALUES} values were encrypted again.`),
    });
  });

  it('is complete only when everything was encrypted again, which sluice doctor says', async () => {
    expect(await doctor({ SLUICE_SECRET: old })).toContain('ok: it is the one of this database, and was never rotated');
    await inDatabase(async (database) => {
      const secrets = { ...rotating, SLUICE_DATA_DIR: place.dataDir };
      const opened = await findMasterKeys(database, secrets);
      if (opened?.pending == null) throw new Error('There is no pending master key.');
      await activate(database, opened.keys, opened.pending);
    });
    await inDatabase((database) => removeSealed(database));
    expect(await doctor(rotating)).toContain('warning: the rotation to version 2 is not complete');
    expect(await rotate()).toMatchObject({ code: 0 });
    expect(await doctor(rotating)).toContain('ok: version 2, to which the rotation is complete');
  });

  it('reads a bounded number of rows for sluice doctor', async () => {
    await rotate();
    const limits: unknown[] = [];
    await inDatabase(async (database) => {
      const keys = only(2, next);
      const query: Database['query'] = (text, values) => {
        if (text.includes(' from (select * from ')) limits.push(values?.[0]);
        else expect(text).toContain('to_regclass');
        return database.query(text, values);
      };
      const resealer = new Resealer(keys, new ContentSeals(keys));
      expect(await new Rotation({ database: { query }, resealer, version: 2 }).remainingInSample()).toEqual([]);
    });
    expect(limits.length).toBeGreaterThan(10);
    expect(limits.every((limit) => Number(limit) <= 1_000)).toBe(true);
  });

  describe('interrupted', () => {
    const keys = () =>
      new MasterKeys([
        { version: 2, masterKey: next },
        { version: 1, masterKey: old },
      ]);

    it('continues where it ended, and loses nothing', async () => {
      const interruption = new AbortController();
      await inDatabase(async (database) => {
        const resealer = new Resealer(keys(), new ContentSeals(keys()));
        const onProgress = (): void => interruption.abort();
        const done = await new Rotation({ database, resealer, version: 2, onProgress }).run(interruption.signal);
        expect(done).toHaveLength(1);
      });
      expect(await readable(keys())).toBe(VALUES);
      expect(await readable(only(2, next))).toBe(1);
      await rotate();
      expect(await readable(only(2, next))).toBe(VALUES);
    });

    it('leaves a value that was changed meanwhile', async () => {
      await inDatabase(async (database) => {
        const changed = Buffer.from('a change of another process');
        const query: Database['query'] = async (text, values) => {
          if (text.startsWith('update webhooks'))
            await database.query('update webhooks set sealed_secret = $1', [changed]);
          return database.query(text, values);
        };
        const resealer = new Resealer(keys(), new ContentSeals(keys()));
        await new Rotation({ database: { query }, resealer, version: 2 }).run(new AbortController().signal);
        expect(await database.query('select sealed_secret from webhooks')).toEqual([{ sealed_secret: changed }]);
      });
    });
  });

  it('knows every column with encrypted values', async () => {
    const columns = await inDatabase((database) =>
      database.query<{ name: string }>(
        `select table_name || '.' || column_name as name from information_schema.columns
         where table_schema = 'public' and data_type = 'bytea' and (column_name like 'sealed%' or column_name like 'totp%' or column_name like 'wrapped%')`,
      ),
    );
    const known = sealedColumns.map(({ table, assignment }) => `${table}.${assignment.split(' ')[0]}`);
    expect(columns.length).toBeGreaterThan(8);
    expect(known).toEqual(expect.arrayContaining(columns.map(({ name }) => name)));
  });
});

/** Removes what is under a master key. @param but what remains */
async function removeSealed(database: Database, but?: 'contents'): Promise<void> {
  await database.query('delete from provider_connections');
  await database.query('delete from webhooks');
  await database.query('delete from alert_channels');
  await database.query('update users set totp_secret = null, totp_draft = null');
  await database.query('delete from datasets');
  if (but === 'contents') return;
  for (const { table } of sealedColumns.filter(({ kind }) => kind !== 'credentials'))
    await database.query(`delete from ${table}`);
}
