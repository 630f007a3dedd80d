import { readdir } from 'node:fs/promises';
import { replacedMigrations } from './replaced-migrations.ts';
import type { Database } from './database.ts';

/** The migrations of a database, by name. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** Of this version, not applied yet. */
  readonly pending: readonly string[];
  /** Applied, and neither of this version nor replaced in it. */
  readonly unknown: readonly string[];
}

/** Null for a database without a schema. Changes nothing. */
export async function migrationState({ orm, query }: Pick<Database, 'orm' | 'query'>): Promise<MigrationState | null> {
  const [table] = await query<{ name: string | null }>("select to_regclass('mikro_orm_migrations')::text as name");
  if (table?.name == null) return null;
  const rows = await query<{ name: string }>('select name from mikro_orm_migrations order by id');
  const applied = rows.map(({ name }) => name);
  const { path = '', pathTs = '' } = orm.config.get('migrations');
  const files = await readdir(orm.config.get('preferTs') ? pathTs : path);
  const own = files.flatMap((file) => /^(Migration\d+\w*)\.[jt]s$/.exec(file)?.[1] ?? []);
  const known = new Set([...own, ...replacedMigrations]);
  const done = new Set(applied);
  return {
    applied,
    pending: own.filter((name) => !done.has(name)),
    unknown: applied.filter((name) => !known.has(name)),
  };
}
