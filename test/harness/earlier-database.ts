import { readFileSync } from 'node:fs';
import type { Database } from '../../src/database/database.ts';

/** What the migrations did that the initial one replaced: before each its name as a comment. */
const text = readFileSync(new URL('../fixtures/migrations/replaced-migrations.sql', import.meta.url), 'utf8');

/** In their order. */
export const replacedMigrations: readonly { readonly name: string; readonly sql: string }[] = text
  .split(/^-- (?=Migration\d{14}_)/m)
  .slice(1)
  .map((part) => {
    const end = part.indexOf('\n');
    return { name: part.slice(0, end), sql: part.slice(end + 1) };
  });

/**
 * Makes an empty database one of an earlier version: runs the migrations that the initial one replaced, and records their
 * names as that version did.
 * @param migrations the first few for a version before the last one that had them
 */
export async function applyReplacedMigrations(database: Database, migrations = replacedMigrations): Promise<void> {
  // Creates the table of the names.
  await database.orm.migrator.getExecuted();
  for (const { name, sql } of migrations) {
    await database.query(sql);
    await database.query('insert into mikro_orm_migrations (name) values ($1)', [name]);
  }
}
