import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Database } from '../../../src/database/database.ts';
import { postgresBinaries, serverPostgres } from '../../harness/postgres.ts';

/**
 * What is in the schema `public` besides the names of executed migrations, one line per object, without the order of columns.
 * It has what `pg_dump --schema-only` prints, which does not connect to the embedded engine: that is of a later version.
 */
export async function describeSchema(database: Database): Promise<string[]> {
  const rows = await database.query<{ line: string }>(`
with relation as (
  select * from pg_class
  where relnamespace = 'public'::regnamespace and relname !~ '^mikro_orm_migrations'
)
select concat('relation ', jsonb_build_array(
  relname, relkind, relpersistence, reloptions, relrowsecurity, relforcerowsecurity, relreplident, relacl::text,
  (select amname from pg_am where pg_am.oid = relam), pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid),
  (select jsonb_agg(inhparent::regclass::text) from pg_inherits where inhrelid = relation.oid)
)) as line from relation
union all
select concat('column ', jsonb_build_array(
  relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression,
  attcollation::regcollation::text, attoptions, attacl::text, attislocal, attinhcount,
  (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum)
)) from pg_attribute join relation on attrelid = relation.oid where attnum > 0 and not attisdropped
union all
select concat('constraint ', jsonb_build_array(
  relname, conname, pg_get_constraintdef(pg_constraint.oid), convalidated, conislocal, coninhcount
)) from pg_constraint join relation on conrelid = relation.oid
union all
select concat('index ', jsonb_build_array(pg_get_indexdef(indexrelid), indisvalid, indisclustered, indisreplident))
  from pg_index join relation on indexrelid = relation.oid
union all
select concat('trigger ', jsonb_build_array(pg_get_triggerdef(pg_trigger.oid), tgenabled))
  from pg_trigger join relation on tgrelid = relation.oid where not tgisinternal
union all
select concat('function ', jsonb_build_array(pg_get_functiondef(oid), proacl::text))
  from pg_proc where pronamespace = 'public'::regnamespace
union all
select concat('sequence ', jsonb_build_array(
  relname, seqtypid::regtype::text, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle,
  (
    select jsonb_agg(jsonb_build_array(refobjid::regclass::text, attname, deptype))
    from pg_depend join pg_attribute on attrelid = refobjid and attnum = refobjsubid
    where classid = 'pg_class'::regclass and objid = seqrelid and refclassid = 'pg_class'::regclass
  )
)) from pg_sequence join relation on seqrelid = relation.oid
union all
select concat('type ', jsonb_build_array(typname, typtype)) from pg_type
  where typnamespace = 'public'::regnamespace and typname !~ '^_?mikro_orm_migrations'
union all
select concat('comment ', jsonb_build_array(relname, description))
  from pg_description join relation on objoid = relation.oid and classoid = 'pg_class'::regclass
union all
select concat('policy ', to_jsonb(pg_policies)) from pg_policies
union all
select concat('statistics ', pg_get_statisticsobjdef(oid)) from pg_statistic_ext
union all
select concat('schema ', nspname) from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
union all
select concat('extension ', extname) from pg_extension`);
  return rows.map(({ line }) => line).toSorted();
}

/** All rows of all tables, besides the names of executed migrations. */
export async function rowsOf(database: Database): Promise<Record<string, unknown[]>> {
  const tables = await database.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'mikro_orm_migrations' order by relname`,
  );
  const rows: Record<string, unknown[]> = {};
  for (const { name } of tables)
    rows[name] = await database.query(`select to_jsonb(${name}) as row from ${name} order by to_jsonb(${name})`);
  return rows;
}

/** What a program of the installed server prints; null where the server under test is another one. */
export function runPostgresProgram(
  name: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  input?: Buffer,
): Buffer | null {
  const binaries = serverPostgres() === 'installed' ? postgresBinaries() : null;
  return binaries === null ? null : execFileSync(join(binaries, name), args, { input, maxBuffer: 2 ** 26 });
}

/** The schema as `pg_dump` prints it, with the columns of each table in the order of their names. */
export function dumpSchema(url: string): string | undefined {
  return runPostgresProgram('pg_dump', ['--schema-only', url])
    ?.toString()
    .replace(/^\\(un)?restrict .*$/gm, '')
    .replace(/(?<=^CREATE TABLE \S+ \(\n).*?(?=\n\))/gms, (columns) => columns.split(/,?\n/).toSorted().join('\n'));
}
