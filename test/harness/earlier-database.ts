import { readFileSync } from 'node:fs';
import type { Database } from '../../src/database/database.ts';
import { UsageStore } from '../../src/services/usage/usage-store.ts';

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

/** Columns of the log that came after the initial migration: they exist only while the statement of today runs. */
const laterColumns = {
  protocol: 'text',
  session_id: 'text',
  parent_id: 'text',
  trace_id: 'text',
  content_level: 'text',
  routing: 'jsonb',
  cache_savings_nano: 'bigint',
  admitted_ms: 'integer',
  last_output_ms: 'integer',
} as const;

/** Likewise of both roll-ups. */
const laterFigures = {
  streamed_tokens: 'bigint',
  streamed_ms: 'bigint',
  output_speeds: 'numeric',
  prompt_cache_requests: 'int',
  prompt_cache_savings_nano: 'bigint',
  response_cache_requests: 'int',
  response_cache_savings_nano: 'bigint',
} as const;

const laterAdditions = [
  ...Object.entries(laterColumns).map((column) => ['usage_logs', ...column] as const),
  ...['usage_rollups', 'usage_tag_rollups'].flatMap((table) =>
    Object.entries(laterFigures).map((column) => [table, ...column] as const),
  ),
];

/** A table that came after it, which the statement writes. */
const laterTable = `create table attempt_rollups (account_id uuid, bucket timestamptz(3), provider text, model text, capability text,
  own_connection boolean, code text, attempts int, successes int, failures int, streamed_tokens bigint, streamed_ms bigint,
  primary key (account_id, bucket, provider, model, capability, own_connection, code))`;

/** @throws Error for a row that is not stored */
export async function storeByEarlierVersion(database: Database, rows: Buffer): Promise<void> {
  for (const [table, name, type] of laterAdditions)
    await database.query(`alter table ${table} add column ${name} ${type}`);
  await database.query(laterTable);
  const fail = (_row: unknown, error: unknown): never => {
    throw new Error('A row was not stored.', { cause: error });
  };
  await new UsageStore(database, fail).store(rows);
  await database.query('drop table attempt_rollups');
  for (const [table, name] of laterAdditions) await database.query(`alter table ${table} drop column ${name}`);
}
