import { expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../harness/databases.ts';

describeOnEachDatabase('migrations', (databases) => {
  test('are applied once, and produce exactly the schema of the entities', async () => {
    // The harness migrated it from an empty database.
    const database = await databases.open();
    expect(await database.migrate()).toEqual({ applied: [] });
    expect((await database.orm.migrator.getExecuted()).length).toBeGreaterThan(0);
    expect(await database.orm.migrator.checkSchema()).toBe(false);
    // Database objects beyond the entities: functions for partitions and histograms, and triggers that protect ledger and audit
    // log.
    const update = await database.orm.schema.getUpdateSchemaSQL({ wrap: false });
    const beyond = update.match(
      /^drop (?:function|trigger) if exists "\w+"(?: on "\w+")?|^(?!drop (?:function|trigger)).+/gm,
    );
    expect(beyond?.toSorted()).toEqual([
      'drop function if exists "audit_entries_append_only_fn"',
      'drop function if exists "ensure_usage_partition"',
      'drop function if exists "ledger_entries_append_only_fn"',
      'drop function if exists "ledger_entries_balanced_fn"',
      'drop function if exists "ledger_postings_append_only_fn"',
      'drop trigger if exists "append_only" on "audit_entries"',
      'drop trigger if exists "append_only" on "ledger_entries"',
      'drop trigger if exists "append_only" on "ledger_postings"',
      'drop trigger if exists "balanced" on "ledger_entries"',
    ]);
  });
});
