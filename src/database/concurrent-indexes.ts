import { Client } from 'pg';
import { delay, systemClock } from '../calendar/clock.ts';
import type { StorageLog } from './log.ts';
import type { SqlQueries } from './sql.ts';

/** An arbitrary advisory lock id: the bytes of "indexe". */
const buildLock = 0x696e64657865;
const POLL_MS = 1_000;

interface PartitionIndexes {
  /** It attaches the indexes, and builds those that are missing while it blocks writers. */
  readonly migration: string;
  /** A partitioned table. */
  readonly table: string;
  /** Columns, by what is appended to the name of a partition. */
  readonly indexes: Readonly<Record<string, string>>;
}

/** Unique indexes that a migration attaches. A partitioned table cannot have an index built concurrently; its partitions can. */
const partitionIndexes: readonly PartitionIndexes[] = [
  {
    migration: 'Migration20261128213000_key_usage_logs_by_account',
    table: 'usage_logs',
    indexes: {
      _account_key: 'account_id, began_at, event_id',
      // As PostgreSQL names it in partitions that are created later.
      _event_id_began_at_idx: 'event_id, began_at',
    },
  },
];

/**
 * Builds what pending migrations attach, while other processes read and write the tables. An interrupted build is begun again at
 * the next call.
 * @param database of the same server as `url`
 */
export async function buildPartitionIndexes(
  url: string,
  database: SqlQueries,
  log: StorageLog | undefined,
): Promise<void> {
  for (const each of partitionIndexes) if (await isPending(database, each)) await build(url, database, each, log);
}

async function isPending(database: SqlQueries, { migration, table }: PartitionIndexes): Promise<boolean> {
  const [found] = await database.query<{ has_schema: boolean }>(
    "select to_regclass('mikro_orm_migrations') is not null and to_regclass($1) is not null as has_schema",
    [table],
  );
  if (found?.has_schema !== true) return false;
  return (await database.query('select 1 from mikro_orm_migrations where name = $1', [migration])).length === 0;
}

/** On connections of its own, without the time limits of others: the size of the table determines how long it takes. */
async function build(
  url: string,
  database: SqlQueries,
  each: PartitionIndexes,
  log: StorageLog | undefined,
): Promise<void> {
  const [guard, builder] = [client(url), client(url)];
  try {
    await guard.connect();
    await builder.connect();
    while (!(await isLocked(guard))) await delay(systemClock, POLL_MS);
    // Another process may have migrated meanwhile.
    if (await isPending(database, each)) await buildEach(builder, each, log);
    await guard.query('commit');
  } finally {
    await Promise.all([guard.end(), builder.end()]);
  }
}

function client(url: string): Client {
  const opened = new Client({ connectionString: url, application_name: 'sluice', keepAlive: true });
  // A lost connection fails its next statement. Without a listener it would end the process.
  return opened.on('error', () => undefined);
}

/**
 * Begins a transaction with the lock, or none. Waiting for it would block the other process: a concurrent build waits for the end of
 * all statements. A transaction between two statements does not delay it.
 */
async function isLocked(guard: Client): Promise<boolean> {
  await guard.query('begin');
  const { rows } = await guard.query<{ locked: boolean }>(
    `select set_config('idle_in_transaction_session_timeout', '0', true), pg_try_advisory_xact_lock(${buildLock}) as locked`,
  );
  if (rows[0]?.locked === true) return true;
  await guard.query('rollback');
  return false;
}

async function buildEach(
  builder: Client,
  { table, indexes }: PartitionIndexes,
  log: StorageLog | undefined,
): Promise<void> {
  await builder.query("select set_config('statement_timeout', '0', false)");
  const { rows: partitions } = await builder.query<{ name: string }>(
    'select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = $1::regclass order by relname',
    [table],
  );
  for (const { name } of partitions)
    for (const [suffix, columns] of Object.entries(indexes)) {
      const index = `${name}${suffix}`;
      const { rows } = await builder.query<{ is_valid: boolean }>(
        'select indisvalid as is_valid from pg_index where indexrelid = to_regclass($1)',
        [index],
      );
      if (rows[0]?.is_valid === true) continue;
      // The names are ours, and digits.
      if (rows.length > 0) await builder.query(`drop index concurrently ${index}`);
      log?.info({ index }, 'building an index');
      await builder.query(`create unique index concurrently ${index} on ${name} (${columns})`);
    }
}
