import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { journalCommand } from '../../../src/cli/journal/journal.command.ts';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { UsageJournal } from '../../../src/gateway/usage/journal/usage-journal.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { runCommand } from '../../harness/run-command.ts';
import { usageRecord } from '../../harness/usage-rows.ts';

const quiet = { error: () => undefined, info: () => undefined };

describeOnEachDatabase('sluice journal adopt', (databases) => {
  let place: OpenDatabaseOptions;
  let folder: string;
  let accountId: string;

  beforeEach(async () => {
    place = await databases.place();
    folder = mkdtempSync(join(tmpdir(), 'sluice-instance-'));
    accountId = randomUUID();
    const database = await openDatabase(place);
    await database.query("insert into accounts (id, name) values ($1, 'A')", [accountId]);
    await database.query('insert into usage_retention (account_id, kept_from) values ($1, $2)', [
      accountId,
      new Date('2026-11-01T00:00:00Z'),
    ]);
    await database.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function leave(...times: readonly string[]): void {
    const journal = new UsageJournal(join(folder, 'journal'), quiet);
    for (const time of times)
      journal.appendSettleWithoutBegin(JSON.stringify(usageRecord({ account_id: accountId, began_at: time })));
    journal.close();
  }

  const adopt = () => runCommand('journal', journalCommand, place, ['adopt', folder], {});

  it('says that a folder can be removed only where it has no usage that was not stored', async () => {
    leave('2026-11-02T00:00:00.000Z');
    expect(await adopt()).toMatchObject({ code: 0, out: expect.stringContaining('It can be removed.') });
    leave('2026-11-02T00:00:01.000Z', '2026-10-31T00:00:00.000Z');
    const refused = await adopt();
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('1 request from a time') });
    expect(refused.out).toContain('1 request of 1 account stored');
    expect(refused.out).toContain(`${join(folder, 'refused-usage.jsonl')} has usage that was not stored.`);
    expect(refused.out).not.toContain('can be removed');
    expect(readFileSync(join(folder, 'refused-usage.jsonl'), 'utf8')).toContain('2026-10-31T00:00:00');
  });
});
