import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { doctorCommand } from '../../../src/cli/doctor/doctor.command.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { keysCommand } from '../../../src/cli/keys.command.ts';
import { secretsCommand } from '../../../src/cli/secrets/secrets.command.ts';
import { establishMasterKeys } from '../../../src/composition/master-keys.ts';
import type { ConfigurationError } from '../../../src/config/environment.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { ruleOf } from '../../../src/services/master-keys/discard/discard-values.ts';
import { fingerprintOf } from '../../../src/services/master-keys/master-key-rows.ts';
import { sealedColumns } from '../../../src/services/master-keys/sealed-columns.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { runCommand } from '../../harness/run-command.ts';
import { readableValues, storeValues, VALUES, type StoredValues } from './sealed-values.ts';

const [lost, present, other] = [
  'the lost master key of this test, long enough',
  'the present master key of this test, long enough',
  'another master key of this test, long enough',
] as const;

describeOnEachDatabase('sluice secrets discard', (databases) => {
  let place: OpenDatabaseOptions;
  let unreadable: StoredValues;

  beforeEach(async () => {
    place = await databases.place();
    unreadable = await inDatabase((database) => storeValues(database, blobs(), lost));
  });

  const blobs = (): string => join(place.dataDir, 'blobs');
  const run = (args: readonly string[], variables: Readonly<Record<string, string>>) =>
    runCommand('secrets', secretsCommand, place, args, variables);
  const discard = (...args: string[]) => run(['discard', ...args], { SLUICE_SECRET: present });

  async function inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(place);
    return work(database).finally(() => database.close());
  }

  /** As a start of a server. @returns null, or why it refuses */
  const start = (current: string, previous: string | null = null): Promise<string | null> =>
    inDatabase(async (database) =>
      establishMasterKeys(database, { current, previous }, new BlobStore(database, blobs())).then(
        () => null,
        (error: ConfigurationError) => error.faults.join(' '),
      ),
    );

  const readable = (stored: StoredValues, keys: MasterKeys | string) =>
    inDatabase((database) => readableValues(database, blobs(), stored, keys));
  const only = (version: number): MasterKeys => new MasterKeys([{ version, masterKey: present }]);
  const rows = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    inDatabase((database) => database.query<Row>(text, values));

  async function masterKeyFaults(): Promise<string> {
    const { out } = await runCommand('doctor', doctorCommand, place, ['--json'], { SLUICE_SECRET: present });
    const findings: readonly Finding[] = JSON.parse(out);
    return findings
      .filter(({ subject, state }) => subject === 'Master key' && state !== 'ok')
      .map((finding) => JSON.stringify(finding))
      .join('\n');
  }

  it('has a rule for each column with values under a master key', () => {
    for (const column of sealedColumns) expect(() => ruleOf(column), column.name).not.toThrow();
  });

  it('lets a server start whose database a lost secret was used with before secrets were recognized', async () => {
    expect(await start(present)).toMatch(/does not decrypt what is stored.*`sluice secrets discard`/);
    expect(await masterKeyFaults()).toContain('sluice secrets discard');

    const listed = await discard();
    expect(listed).toMatchObject({ code: 1, err: expect.stringContaining('Confirm with --yes.') });
    expect(listed.out).toContain('1  credentials of provider connections');
    expect(listed.out).toContain(`${VALUES} values are not readable`);
    expect(await discard('--dry-run')).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed.') });
    expect(await readable(unreadable, lost)).toBe(VALUES);

    expect(await discard('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('--new-master-key') });
    expect(await readable(unreadable, lost)).toBe(VALUES);
    const done = await discard('--yes', '--new-master-key');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(`${VALUES} values were discarded.`);
    expect(done.out).toContain('Enter the API keys of these provider connections again');
    expect(done.out).not.toContain('a credential');
    expect(await start(present)).toBeNull();
    expect(await masterKeyFaults()).toBe('');
    expect(await discard()).toMatchObject({ code: 0, out: '0 values are not readable with the given secrets.\n' });
  });

  it('keeps each value that the present secret decrypts', async () => {
    const kept = await inDatabase((database) => storeValues(database, blobs(), present));
    expect(await discard('--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${VALUES} values were discarded.`),
    });
    expect(await readable(kept, present)).toBe(VALUES);
  });

  it('marks what it discards, and records it for the account and the operator', async () => {
    await discard('--yes', '--new-master-key');
    const { connection, webhook, channel, event, item, conversation } = unreadable.ids;
    expect(
      await rows('select active, sealed_credentials, test_message from provider_connections where id = $1', [
        connection,
      ]),
    ).toEqual([
      { active: false, sealed_credentials: null, test_message: expect.stringContaining('Enter them again.') },
    ]);
    expect(await rows('select account_id from connected_accounts')).toEqual([{ account_id: unreadable.accountId }]);
    expect(
      await rows('select disabled_at is null as enabled, last_failure from webhooks where id = $1', [webhook]),
    ).toEqual([{ enabled: false, last_failure: expect.stringContaining('create it again') }]);
    expect(await rows('select sealed_target from alert_channels where id = $1', [channel])).toEqual([
      { sealed_target: null },
    ]);
    expect(await rows('select state, wrapped_key from logged_contents where event_id = $1', [event])).toEqual([
      { state: 'deleted', wrapped_key: null },
    ]);
    expect(await rows('select from dataset_items where id = $1', [item])).toEqual([]);
    expect(
      await rows(
        "select item #>> '{0,encrypted_content}' as sealed from conversation_items where conversation_id = $1",
        [conversation],
      ),
    ).toEqual([{ sealed: '' }]);
    const entries = await rows<{ action: string; account_id: string | null }>(
      "select action, account_id from audit_entries where actor_kind = 'cli' order by action",
    );
    expect(entries).toEqual([
      { action: 'account.unreadable_values_discarded', account_id: unreadable.accountId },
      { action: 'alert_channel.target_discarded', account_id: unreadable.accountId },
      { action: 'master_key.unreadable_values_discarded', account_id: null },
      { action: 'provider_connection.credentials_discarded', account_id: unreadable.accountId },
      { action: 'user.totp_discarded', account_id: null },
      { action: 'webhook.secret_discarded', account_id: unreadable.accountId },
    ]);
  });

  it('replaces the master key of the database only where that is stated, too', async () => {
    const created = await runCommand('keys', keysCommand, place, ['create', 'before'], { SLUICE_SECRET: lost });
    expect(created).toMatchObject({ code: 0 });
    expect(await start(present)).toMatch(/is not the current master key.*`sluice secrets discard`/);
    expect(await discard('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('--new-master-key') });
    expect(await start(lost)).toBeNull();
    expect(await readable(unreadable, lost)).toBe(VALUES);

    const done = await discard('--yes', '--new-master-key');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('Master key 2 is active.');
    expect(await rows("select target_label from audit_entries where action = 'master_key.replaced'")).toEqual([
      { target_label: 'version 2' },
    ]);
    expect(done.out).toContain('API keys (1): Give them new secrets');
    expect(await start(present)).toBeNull();
    expect(await start(lost)).toContain('It was replaced by version 2.');
    expect(await masterKeyFaults()).toBe('');
    const kept = await inDatabase((database) => storeValues(database, blobs(), only(2)));
    expect(await discard('--yes')).toMatchObject({
      code: 0,
      out: '0 values are not readable with the given secrets.\n',
    });
    expect(await readable(kept, only(2))).toBe(VALUES);
  });

  it('deletes queued messages that are not readable, and no other jobs', async () => {
    await rows('create schema pgboss');
    await rows('create table pgboss.job (id uuid primary key, name text, state text, data jsonb)');
    const owner = { accountId: '', rowId: 'send-mail' };
    const sealed = (key: string): string => new CredentialVault(key).seal('a message', owner).toString('base64');
    for (const [name, data] of [
      ['send-mail', { sealed: sealed(lost) }],
      ['send-mail', { sealed: sealed(present) }],
      ['run-response', { id: 'no base64!' }],
    ] as const)
      await rows("insert into pgboss.job values (gen_random_uuid(), $1, 'created', $2)", [name, JSON.stringify(data)]);
    const done = await discard('--yes');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('queued messages (1): Ask for invitations and links again');
    expect(await rows("select name, data ->> 'sealed' is not null as sealed from pgboss.job order by name")).toEqual([
      { name: 'run-response', sealed: false },
      { name: 'send-mail', sealed: true },
    ]);
  });

  it('refuses a previous secret where no rotation was recorded', async () => {
    const given = { SLUICE_SECRET: lost, SLUICE_SECRET_PREVIOUS: other };
    expect(await run(['discard', '--yes', '--new-master-key'], given)).toMatchObject({
      code: 1,
      err: expect.stringContaining('unset SLUICE_SECRET_PREVIOUS'),
    });
    expect(await readable(unreadable, lost)).toBe(VALUES);
  });

  it('refuses a secret that decrypts values where another one was recorded as the first master key', async () => {
    await rows('insert into master_key_versions (version, fingerprint, activated_at) values (1, $1, now())', [
      fingerprintOf(other),
    ]);
    expect(await run(['discard', '--yes', '--new-master-key'], { SLUICE_SECRET: lost })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Remove that fingerprint'),
    });
    expect(await readable(unreadable, lost)).toBe(VALUES);
  });

  it('requires --new-master-key where no tested value shows that the secret is the master key', async () => {
    await runCommand('keys', keysCommand, place, ['create', 'before'], { SLUICE_SECRET: lost });
    for (const table of [
      'master_key_versions',
      'provider_connections',
      'webhooks',
      'alert_channels',
      'logged_contents',
      'dataset_items',
    ])
      await rows(`delete from ${table}`);
    await rows('update users set totp_secret = null, totp_draft = null');
    expect(await discard('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('--new-master-key') });
    const done = await discard('--yes', '--new-master-key');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('Nothing shows that SLUICE_SECRET is the master key');
    expect(done.out).toContain('API keys (1): Give them new secrets');
    expect(await start(present)).toBeNull();
  });

  it('ends a rotation whose previous secret was lost', async () => {
    const rotating = { SLUICE_SECRET: present, SLUICE_SECRET_PREVIOUS: lost };
    expect(await start(lost)).toBeNull();
    expect(await run(['rotate'], rotating)).toMatchObject({ code: 0 });
    // As one that was interrupted: these values are under the previous secret.
    await inDatabase(async (database) => {
      await database.query('update master_key_versions set completed_at = null');
      await storeValues(database, blobs(), lost);
    });
    expect(await masterKeyFaults()).toContain('sluice secrets discard');
    expect(await discard('--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${VALUES} values were discarded.`),
    });
    expect(await readable(unreadable, only(2))).toBe(VALUES);
    expect(await start(present)).toBeNull();
    expect(await masterKeyFaults()).toBe('');
  });

  it('keeps what the previous secret decrypts where the current one was lost', async () => {
    expect(await start(lost)).toBeNull();
    const rotated = await run(['rotate'], { SLUICE_SECRET: other, SLUICE_SECRET_PREVIOUS: lost });
    expect(rotated).toMatchObject({ code: 0 });
    const early = await inDatabase((database) => storeValues(database, blobs(), lost));
    expect(await run(['discard', '--yes'], { SLUICE_SECRET: lost })).toMatchObject({
      code: 1,
      err: expect.stringContaining('SLUICE_SECRET was replaced by version 2.'),
    });
    const given = { SLUICE_SECRET: present, SLUICE_SECRET_PREVIOUS: lost };
    const done = await run(['discard', '--yes', '--new-master-key'], given);
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Run `sluice secrets rotate`.') });
    // Those that the rotation encrypted again, and the pepper of version 1.
    expect(done.out).toContain(`${VALUES + 1} values were discarded.`);
    expect(await run(['rotate'], given)).toMatchObject({ code: 0 });
    expect(await readable(early, only(3))).toBe(VALUES);
    expect(await start(present)).toBeNull();
  });
});
