import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportCommand } from '../../../src/cli/export.command.ts';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase, temporaryDataDir } from '../../harness/databases.ts';
import { parseCsv } from '../../harness/parse-csv.ts';
import { runCommand } from '../../harness/run-command.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const [first, second] = [randomUUID(), randomUUID()];

// Each export leaves a listener on standard output, as each thread of an embedded database has some: a command has
// a process of its own otherwise, and Node warns of no leak there.
const listeners = process.stdout.getMaxListeners();
beforeAll(() => void process.stdout.setMaxListeners(0));
afterAll(() => void process.stdout.setMaxListeners(listeners));

describeWithDatabase('sluice export', (databases) => {
  let place: OpenDatabaseOptions;

  beforeAll(async () => {
    place = await databases.place();
    const database = await openDatabase(place);
    const em = database.em();
    em.persist(em.create(Account, { id: first, name: 'First', createdAt: new Date(0) }));
    em.persist(em.create(Account, { id: second, name: 'Second' }));
    await em.flush();
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const at = (began_at: string, account_id: string) => usageRecord({ began_at, account_id, cost_nano: '1500000001' });
    await store.store(
      rowsJson([
        at('2026-11-01T00:00:00.000Z', first),
        at('2026-11-02T00:00:00.000Z', first),
        at('2026-11-03T00:00:00.000Z', second),
      ]),
    );
    await database.close();
  });

  const run = (...args: readonly string[]) => runCommand('export', exportCommand, place, args);

  it('exports the usage log of the oldest or of the given account', async () => {
    const { code, out, err } = await run('usage');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(parseCsv(out).map((row) => [row.created_at, row.cost_usd])).toEqual([
      ['2026-11-01T00:00:00.000Z', '1.500000001'],
      ['2026-11-02T00:00:00.000Z', '1.500000001'],
    ]);
    const other = await run('usage', '--account', second, '--format', 'jsonl');
    expect(JSON.parse(other.out)).toMatchObject({ created_at: '2026-11-03T00:00:00.000Z', cost_usd: '1.500000001' });
  });

  it('exports a range of it to a file', async () => {
    const file = join(place.dataDir, 'part.parquet');
    const { code, out } = await run('usage', '--format=parquet', '--from=2026-11-02', '--output', file);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(readFileSync(file).subarray(-4).toString()).toBe('PAR1');
    const csv = await run('usage', '--to', '2026-11-01T00:00:00.001Z');
    expect(parseCsv(csv.out)).toHaveLength(1);
  });

  it('exports all data of an account, and records it in the audit log', async () => {
    const { code, out, err } = await run('account');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line): { type: string } => JSON.parse(line));
    expect(Map.groupBy(lines, ({ type }) => type).get('usage')).toHaveLength(2);
    const audit = await run('audit');
    expect(parseCsv(audit.out)).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'account.exported', actor_kind: 'cli' })]),
    );
    const other = await run('audit', '--account', second, '--format', 'jsonl');
    expect(other.out).not.toContain('account.exported');
  });
});

describe('sluice export from a data folder', () => {
  let place: OpenDatabaseOptions;
  let remove: () => Promise<void>;
  const accountId = randomUUID();
  const [datasetId, itemId] = [randomUUID(), randomUUID()];
  const run = (...args: readonly string[]) => runCommand('export', exportCommand, place, args);
  const secret = () => join(place.dataDir, 'secret');

  beforeAll(async () => {
    ({ options: place, remove } = await temporaryDataDir());
    const database = await openDatabase(place);
    const em = database.em();
    em.persist(em.create(Account, { id: accountId, name: 'With datasets' }));
    await em.flush();
    const createDataset =
      "insert into datasets (id, account_id, name, created_at, updated_at) values ($1, $2, 'Old', now(), now())";
    await database.query(createDataset, [datasetId, accountId]);
    const createItem = `
      insert into dataset_items (id, account_id, dataset_id, position, event_id, bytes, content, wrapped_key, created_at)
      values ($1, $2, $3, 0, $4, 1, '\\x00', '\\x00', now())`;
    await database.query(createItem, [itemId, accountId, datasetId, randomUUID()]);
    await database.close();
  });
  afterAll(() => remove());

  it('reports items of datasets that it cannot decrypt', async () => {
    const { code, out, err } = await run('account');
    expect(code).toBe(1);
    expect(err).toMatch(/^1 dataset item or output cannot be decrypted: .*\n$/);
    expect(out).toContain(
      JSON.stringify({ type: 'dataset_item', dataset_id: datasetId, id: itemId, error: 'cannot be decrypted' }),
    );
  });

  it('creates no secret, and needs none for usage and audit', async () => {
    for (const kind of ['usage', 'audit', 'account']) await run(kind);
    expect(existsSync(secret())).toBe(false);
    writeFileSync(secret(), 'too short', { mode: 0o600 });
    for (const kind of ['usage', 'audit']) expect(await run(kind)).toMatchObject({ code: 0, err: '' });
    expect(await run('account')).toMatchObject({ code: 1, err: expect.stringContaining('fewer than 32 characters') });
  });
});
