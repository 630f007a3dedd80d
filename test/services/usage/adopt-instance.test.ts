import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { adoptInstance, type AdoptionDependencies } from '../../../src/composition/journals/adopt-instance.ts';
import { unstoredBytes } from '../../../src/composition/journals/instance-folders.ts';
import { moveFiles } from '../../../src/composition/journals/move-files.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { FolderInUseError, lockFolder } from '../../../src/database/embedded/folder-lock.ts';
import { IdempotencyStore } from '../../../src/gateway/idempotency/idempotency-store.ts';
import type { AbandonedClaims, SharedClaims } from '../../../src/gateway/idempotency/shared-claims.ts';
import { CommonMembers } from '../../../src/gateway/usage/journal/common-members.ts';
import { UsageJournal } from '../../../src/gateway/usage/journal/usage-journal.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { DroppedContents } from '../../../src/services/content-log/dropped-contents.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const quiet = { error: () => undefined, info: () => undefined };
const waiter = { onDurable: () => undefined, onJournalFailure: () => undefined };

describeOnEachDatabase('the journals of an instance', (databases) => {
  let database: Database;
  let dataDir: string;
  let accountId: string;
  let usage: UsageStore;

  beforeEach(async () => {
    database = await databases.open();
    dataDir = mkdtempSync(join(tmpdir(), 'sluice-instance-'));
    const em = database.em();
    const account = em.create(Account, { name: 'A' });
    await em.flush();
    accountId = account.id;
    usage = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const record = (): UsageRecord => usageRecord({ account_id: accountId, cost_nano: '1000' });

  /** In that folder: settled requests, and as many that were not. */
  function leave(folder: string, settled: readonly UsageRecord[], begun: readonly UsageRecord[] = []): void {
    const journal = new UsageJournal(join(folder, 'journal'), quiet);
    for (const row of settled) journal.appendSettleWithoutBegin(JSON.stringify(row));
    for (const row of begun) {
      const { status: _status, ...open } = row;
      journal.begin(JSON.stringify(open), waiter);
    }
    journal.close();
  }

  function dependencies(more: Partial<AdoptionDependencies> = {}): AdoptionDependencies {
    return {
      database,
      usage,
      drops: new DroppedContents({ database, log: { error: (_fields, text) => expect.fail(text) } }),
      recount: () => Promise.resolve(),
      claims: null,
      moveFiles: null,
      onCorrupt: (row) => expect.fail(row),
      ...more,
    };
  }

  async function stored(): Promise<Record<string, string>> {
    const rows = await database.query<{ id: string; status: string }>(
      'select event_id as id, status from usage_logs where account_id = $1',
      [accountId],
    );
    return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
  }

  it('are stored with those of its workers, and what it had stored itself is stored once', async () => {
    const [before, settled, ofWorker, open] = [record(), record(), record(), record()];
    await usage.store(rowsJson([before]));
    leave(dataDir, [before, settled], [open]);
    mkdirSync(join(dataDir, 'worker-1'));
    leave(join(dataDir, 'worker-1'), [ofWorker]);
    const drop = new UsageJournal(join(dataDir, 'worker-1', 'dropped-content'), quiet);
    drop.appendSettleWithoutBegin(`{"event_id":"${settled.event_id}","account_id":"${accountId}"}`);
    drop.close();
    const recounted: string[] = [];
    const counts = await adoptInstance(dataDir, dependencies({ recount: async (ids) => void recounted.push(...ids) }));
    expect(counts).toEqual({
      requests: 4,
      storedBefore: 1,
      interrupted: 1,
      refused: 0,
      droppedContents: 1,
      accounts: 1,
      settledKeys: 0,
      movedFiles: 0,
    });
    expect(recounted).toEqual([accountId]);
    expect(await stored()).toEqual({
      [before.event_id]: 'succeeded',
      [settled.event_id]: 'succeeded',
      [ofWorker.event_id]: 'succeeded',
      [open.event_id]: 'interrupted',
    });
    expect(await database.query('select state from logged_contents where event_id = $1', [settled.event_id])).toEqual([
      { state: 'dropped' },
    ]);
    const [balance] = await database.query<{ amount: string }>(
      "select amount_nano::text as amount from ledger_balances where account_id = $1 and book = 'usage'",
      [accountId],
    );
    const [sum] = await database.query<{ amount: string }>(
      'select sum(cost_nano)::text as amount from usage_logs where account_id = $1',
      [accountId],
    );
    expect(balance).toEqual(sum);
    expect(unstoredBytes(dataDir)).toBe(0);
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    expect(await adoptInstance(dataDir, dependencies())).toMatchObject({ requests: 0, accounts: 0 });
  });

  it('are counted and kept by a dry run', async () => {
    const [before, settled, open] = [record(), record(), record()];
    await usage.store(rowsJson([before]));
    leave(dataDir, [before, settled], [open]);
    const bytes = unstoredBytes(dataDir);
    const counts = await adoptInstance(
      dataDir,
      dependencies({ recount: () => Promise.reject(new Error('it counts again')) }),
      { isDryRun: true },
    );
    expect(counts).toMatchObject({ requests: 3, storedBefore: 1, interrupted: 1 });
    expect(unstoredBytes(dataDir)).toBe(bytes);
    expect(Object.keys(await stored())).toEqual([before.event_id]);
  });

  it('are not counted again where retention removed usage of that time, and remain in a file', async () => {
    const [old, kept, open, ofCommons] = Array.from({ length: 4 }, () => ({
      ...record(),
      began_at: '2025-01-05T00:00:00.000Z',
    }));
    if (!old || !kept || !open || !ofCommons) throw new Error('no records');
    const fresh = record();
    await usage.store(rowsJson([kept]));
    await database.query("insert into usage_retention (account_id, kept_from) values ($1, '2025-02-01T00:00:00Z')", [
      accountId,
    ]);
    const leaveAll = (): void => {
      leave(dataDir, [old, kept, fresh], [open]);
      const journal = new UsageJournal(join(dataDir, 'journal'), quiet);
      const { event_id, account_id, model, ...own } = ofCommons;
      const of_key = journal.refer(new CommonMembers(`,"account_id":"${account_id}"`));
      const of_route = journal.refer(new CommonMembers(`,"model":"${model}"`));
      journal.appendSettleWithoutBegin(JSON.stringify({ event_id, of_key, of_route, ...own }));
      journal.close();
    };
    leaveAll();
    const expected = { requests: 5, storedBefore: 1, refused: 3 };
    expect(await adoptInstance(dataDir, dependencies(), { isDryRun: true })).toMatchObject(expected);
    expect(readdirSync(dataDir)).not.toContain('refused-usage.jsonl');
    expect(await adoptInstance(dataDir, dependencies())).toMatchObject(expected);
    expect(Object.keys(await stored()).toSorted()).toEqual([kept.event_id, fresh.event_id].toSorted());
    expect(unstoredBytes(dataDir)).toBe(0);
    const refused = readFileSync(join(dataDir, 'refused-usage.jsonl'), 'utf8').trimEnd().split('\n');
    const rows = refused.map((line): unknown => JSON.parse(line));
    expect(rows).toHaveLength(3);
    for (const { event_id } of [old, open, ofCommons])
      expect(rows).toContainEqual(expect.objectContaining({ event_id, account_id: accountId }));
    leaveAll();
    const included = { requests: 5, storedBefore: 2, refused: 0 };
    expect(await adoptInstance(dataDir, dependencies(), { includesExpired: true })).toMatchObject(included);
    expect(Object.keys(await stored())).toHaveLength(5);
  });

  it('are refused by their time also beside a record that is corrupt on disk', async () => {
    const old = { ...record(), began_at: '2025-01-05T00:00:00.000Z' };
    const fresh = record();
    await database.query("insert into usage_retention (account_id, kept_from) values ($1, '2025-02-01T00:00:00Z')", [
      accountId,
    ]);
    const journal = new UsageJournal(join(dataDir, 'journal'), quiet);
    for (const row of [
      JSON.stringify(old),
      JSON.stringify(record()).replace('"model":', '"model"'),
      JSON.stringify(fresh),
    ])
      journal.appendSettleWithoutBegin(row);
    journal.close();
    const corrupt: unknown[] = [];
    const reporting = new UsageStore(database, (row) => corrupt.push(row));
    expect(await adoptInstance(dataDir, dependencies({ usage: reporting }))).toMatchObject({ requests: 3, refused: 1 });
    expect(corrupt).toHaveLength(1);
    expect(Object.keys(await stored())).toEqual([fresh.event_id]);
  });

  it('are kept until budgets are counted, and then stored no second time', async () => {
    const [settled, open] = [record(), record()];
    leave(dataDir, [settled], [open]);
    const failing = dependencies({ recount: () => Promise.reject(new Error('Redis is away')) });
    await expect(adoptInstance(dataDir, failing)).rejects.toThrow('Redis is away');
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    expect(await adoptInstance(dataDir, dependencies())).toMatchObject({
      requests: 2,
      storedBefore: 2,
      interrupted: 1,
    });
    expect(Object.keys(await stored())).toHaveLength(2);
  });

  it('end its idempotency keys in Redis, and move its files, before they are removed', async () => {
    const owners: string[] = [];
    const ended: Record<string, string> = {};
    const claims: AbandonedClaims = {
      settle: async (names, scope, state, answer) => {
        owners.push(...names);
        ended[scope] = answer === null ? state : `${state} ${answer.length}`;
        return true;
      },
    };
    const [answered, open, cut] = ['answered', 'open', 'not-kept'].map((name) => name.padEnd(43, '-'));
    const shared: SharedClaims = {
      owner: 'lost-process',
      claim: () => Promise.resolve(null),
      free: () => undefined,
      ended: () => undefined,
      answer: () => Promise.reject(new Error('there is none')),
    };
    const idempotency = join(dataDir, 'idempotency');
    const store = new IdempotencyStore<string>({ folder: idempotency, masterKeys: 'a key', log: quiet, shared });
    const claim = (scope: string) =>
      new Promise<ReturnType<typeof store.claim>>((resolve, reject) => {
        const given = store.claim({ scope, accountId, fingerprint: 'print' }, scope, {
          onDurable: () => resolve(given),
          onClaimedElsewhere: () => reject(new Error('claimed elsewhere')),
          onFailure: reject,
        });
      });
    store.ended(await claim(answered ?? ''), { about: '{}', chunks: [Buffer.from('Hello')] });
    await claim(open ?? '');
    store.ended(await claim(cut ?? ''), null);
    await store.close();
    const file = randomUUID();
    const own = join(dataDir, 'adopter');
    mkdirSync(join(dataDir, 'blobs', file.slice(0, 2)), { recursive: true });
    writeFileSync(join(dataDir, 'blobs', file.slice(0, 2), file), 'a file');
    leave(dataDir, [record()]);

    const failing = dependencies({ claims: { settle: () => Promise.reject(new Error('Redis is away')) } });
    await expect(adoptInstance(dataDir, failing)).rejects.toThrow('Redis is away');
    expect(unstoredBytes(dataDir)).toBeGreaterThan(0);
    const move = (folder: string) => moveFiles(join(folder, 'blobs'), own);
    expect(await adoptInstance(dataDir, dependencies({ claims, moveFiles: move }))).toMatchObject({
      requests: 1,
      settledKeys: 3,
      movedFiles: 1,
    });
    expect(new Set(owners)).toEqual(new Set(['lost-process']));
    expect(ended).toEqual({
      [answered ?? '']: expect.stringMatching(/^kept \d+$/),
      [open ?? '']: 'interrupted',
      [cut ?? '']: 'not kept',
    });
    expect(existsSync(idempotency)).toBe(false);
    expect(readFileSync(join(own, file.slice(0, 2), file), 'utf8')).toBe('a file');
    expect(unstoredBytes(dataDir)).toBe(0);
  });

  it('are refused while a process uses the folder, or that of a worker, and are adopted by one process', async () => {
    mkdirSync(join(dataDir, 'worker-0'));
    leave(join(dataDir, 'worker-0'), [record()]);
    for (const folder of [dataDir, join(dataDir, 'worker-0')]) {
      const lock = await lockFolder(join(folder, 'lock'));
      await expect(adoptInstance(dataDir, dependencies())).rejects.toThrow(FolderInUseError);
      await lock.release();
      expect(readdirSync(dataDir).filter((name) => name.startsWith('lock'))).toEqual([]);
    }
    const both = await Promise.allSettled([
      adoptInstance(dataDir, dependencies()),
      adoptInstance(dataDir, dependencies()),
    ]);
    const counts = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value.requests] : []));
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect(Object.keys(await stored())).toHaveLength(1);
  });

  it('are refused while a worker uses a folder that was created since the adoption began', async () => {
    const worker = join(dataDir, 'worker-0');
    mkdirSync(worker);
    const lock = await lockFolder(join(worker, 'lock'));
    const adopting = adoptInstance(dataDir, dependencies());
    leave(worker, [record()]);
    await expect(adopting).rejects.toThrow(FolderInUseError);
    expect(await stored()).toEqual({});
    await lock.release();
    expect(await adoptInstance(dataDir, dependencies())).toMatchObject({ requests: 1, storedBefore: 0 });
  });

  it('are stored without records that are corrupt', async () => {
    const corrupt: string[] = [];
    const settled = record();
    const journal = new UsageJournal(join(dataDir, 'journal'), quiet);
    journal.appendSettleWithoutBegin(`{"event_id":"${randomUUID()}","account_id":`);
    journal.appendSettleWithoutBegin(JSON.stringify(settled));
    journal.close();
    const store = new UsageStore(database, (row) => void corrupt.push(String(row)));
    expect(await adoptInstance(dataDir, dependencies({ usage: store }))).toMatchObject({ requests: 2 });
    expect(Object.keys(await stored())).toEqual([settled.event_id]);
    expect(corrupt).toHaveLength(1);
  });
});
