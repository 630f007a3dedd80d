import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contractStatements, type MigrationText } from '../../harness/contract-statements.ts';
import { previousRelease } from '../../harness/previous-release.ts';

const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));
const migrations: readonly MigrationText[] = readdirSync(folder)
  .filter((file) => /^Migration\d{14}_\w+\.ts$/.test(file))
  .sort()
  .map((file) => ({ name: file.slice(0, -3), text: readFileSync(join(folder, file), 'utf8') }));

describe('migrations since the previous release', () => {
  const last = migrations.findIndex(({ name }) => name === previousRelease.lastMigration);

  it('keep what its code reads and writes, or say since when nothing uses it', () => {
    expect(last).toBeGreaterThan(0);
    const statements = contractStatements(migrations.slice(0, last + 1), migrations.slice(last + 1));
    expect(statements.map(({ migration, table, effect }) => `${migration}: ${table}: ${effect}`)).toEqual([]);
  });
});

describe('a migration', () => {
  const up = (sql: string, comment = ''): MigrationText => ({
    name: 'Migration1_change',
    text: `override up() {\n${comment}\n this.addSql(\`${sql}\`); }\n override down() { this.addSql(\`drop table "rows";\`); }`,
  });
  const before = [
    up('create table "rows" (id uuid primary key, name text); create unique index rows_by_name on "rows" (name);'),
    up('create table usage_logs (event_id uuid, began_at timestamptz, primary key (event_id, began_at))'),
  ];
  const effects = (sql: string, comment?: string): string[] =>
    contractStatements(before, [up(sql, comment)]).map(({ table, effect }) => `${table}: ${effect}`);

  it.each([
    ['drop table if exists "rows" cascade;', 'rows: drops the table'],
    ['alter table "rows" drop column "name";', 'rows: drops the column name'],
    ['alter table "rows" rename column "name" to "title";', 'rows: renames the column name'],
    ['alter table "rows" rename to "lines";', 'rows: renames lines'],
    ['alter table "rows" alter column "name" type int using 1;', 'rows: changes the type of name'],
    ['alter table rows alter name set not null', 'rows: requires a value of name'],
    ['alter table "rows" add "size" int null, add "kind" text not null;', 'rows: adds kind, which needs a value'],
    ['drop index rows_by_name', 'rows: drops the unique index rows_by_name'],
    ['create unique index rows_by_size on rows (size)', 'rows: requires unique values by rows_by_size'],
    [
      'alter table usage_logs drop constraint usage_logs_pkey',
      'usage_logs: drops the unique constraint usage_logs_pkey',
    ],
  ])('that breaks code of the release before it is found: %s', (sql, effect) => {
    expect(effects(sql)).toContain(effect);
  });

  it.each([
    ['alter table "rows" add "size" int null, add "kind" text not null default \'a\';'],
    [
      'create table "others" (id uuid not null); alter table "others" drop column "id"; create unique index o on others (id);',
    ],
    ['create index rows_by_size on rows (size); drop index rows_by_size;'],
    ['update rows set name = null'],
  ])('that adds is not: %s', (sql) => {
    expect(effects(sql)).toEqual([]);
  });

  it('may remove what a release stopped using, and says which one', () => {
    expect(effects('alter table "rows" drop column "name";', '// contract since 0.1.0: names are titles')).toEqual([]);
    expect(effects('alter table "rows" drop column "name";', '// contract')).toHaveLength(1);
  });
});
