import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { describeOnEachDatabase } from '../harness/databases.ts';

describeOnEachDatabase('migrations', (databases) => {
  test('are applied once, and make exactly what the entities describe', async () => {
    const database = await openDatabase(await databases.place('empty'));
    try {
      const { applied } = await database.migrate();
      expect(applied.length).toBeGreaterThan(0);
      expect(await database.migrate()).toEqual({ applied: [] });
      expect(await database.orm.migrator.checkSchema()).toBe(false);
      // All that the database has beyond the entities is the function that makes partitions.
      const update = await database.orm.schema.getUpdateSchemaSQL({ wrap: false });
      expect(update.trim()).toMatch(/^drop function if exists "ensure_usage_partition"[^;]*;$/);
    } finally {
      await database.close();
    }
  });
});
