import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../calendar/clock.ts';
import type { Environment } from '../../config/environment.ts';
import { openDatabase, type Database } from '../../database/database.ts';
import { unusable } from '../../database/connection-failure.ts';
import { migrationState } from '../../database/migration-state.ts';
import { describeError } from '../errors/describe-error.ts';
import { checkMasterKey } from './check-master-key.ts';
import { clockSkew } from './clock-skew.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Database';
/** PostgreSQL's `server_version_num`. */
const MIN_VERSION = 150_000;
/** Of the connections that the server allows: few are left for further processes. */
const MAX_USED = 0.8;

/** The database that the environment names. Changes nothing in it. */
export async function checkDatabase(environment: Environment): Promise<readonly Finding[]> {
  const { DATABASE_URL: url, DATABASE_POOLER: pooler } = environment;
  const dataDir = resolve(environment.SLUICE_DATA_DIR);
  if (url === undefined && !existsSync(join(dataDir, 'database')))
    return [found(SUBJECT, 'unused', 'no embedded database yet; the first start creates it')];
  let database: Database | null = null;
  try {
    database = await openDatabase({ url, pooler, dataDir, attach: true });
    const server = await describeServer(database);
    const migrations = await checkMigrations(database);
    const isEmpty = migrations.state === 'unused';
    return [...server, migrations, ...(isEmpty ? [] : await checkMasterKey(database, environment))];
  } catch (error) {
    const known = url === undefined ? null : unusable(url, error);
    const advice =
      url === undefined
        ? 'Stop the process that uses the data folder, or run this command as the user that runs Sluice.'
        : 'Check that PostgreSQL runs, that this machine may reach it, and the user, password and name in DATABASE_URL.';
    return [fault(SUBJECT, 'failed', describeError(known ?? error), advice)];
  } finally {
    await database?.close();
  }
}

interface ServerRow {
  readonly version: number;
  readonly name: string;
  readonly fsync: string;
  readonly statement_timeout: string;
  readonly in_recovery: boolean;
  readonly used: number;
  readonly allowed: number;
  readonly now: number;
}

async function describeServer(database: Database): Promise<readonly Finding[]> {
  await database.ping();
  const sent = systemClock.now();
  const started = systemClock.monotonic();
  const [row] = await database.query<ServerRow>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
       current_setting('fsync') as fsync, current_setting('statement_timeout') as statement_timeout, pg_is_in_recovery() as in_recovery,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
       current_setting('max_connections')::int as allowed,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
  );
  const took = systemClock.monotonic() - started;
  if (row === undefined) throw new Error('the database returned no row');
  if (database.kind === 'embedded') return [found(SUBJECT, 'ok', `embedded, PostgreSQL ${row.name}`)];
  return [
    ...serverFaults(row),
    found(SUBJECT, 'ok', `PostgreSQL ${row.name}, answers in ${took.toFixed(1)} ms`),
    clockSkew('the database', { theirs: row.now, sent, received: systemClock.now() }),
  ];
}

function serverFaults(row: ServerRow): Finding[] {
  const { version, name, fsync, statement_timeout: timeout, in_recovery: isReplica, used, allowed } = row;
  const faults: Finding[] = [];
  if (version < MIN_VERSION)
    faults.push(fault(SUBJECT, 'failed', `PostgreSQL ${name} is too old`, 'Upgrade it to PostgreSQL 15 or newer.'));
  if (isReplica)
    faults.push(
      fault(SUBJECT, 'failed', 'it is a read-only replica', 'Set DATABASE_URL to the address of the primary server.'),
    );
  if (fsync === 'off')
    faults.push(
      fault(
        SUBJECT,
        'warning',
        'fsync is off: a crash of its machine loses usage',
        'Turn fsync on in postgresql.conf.',
      ),
    );
  if (timeout === '0')
    faults.push(
      fault(
        SUBJECT,
        'warning',
        'a statement may run for ever: through a pooler, Sluice cannot limit it',
        "Run: alter role <user of DATABASE_URL> set statement_timeout = '30s'",
      ),
    );
  if (used > allowed * MAX_USED)
    faults.push(
      fault(
        SUBJECT,
        'warning',
        `${used} of ${allowed} connections are used`,
        'Raise max_connections. Each process of Sluice uses up to DATABASE_POOL_SIZE connections.',
      ),
    );
  return faults;
}

async function checkMigrations(database: Database): Promise<Finding> {
  const subject = 'Migrations';
  const state = await migrationState(database);
  if (state === null) return found(subject, 'unused', 'none yet; the first start, or `sluice migrate`, applies them');
  const { applied, pending, unknown } = state;
  if (unknown.length > 0)
    return fault(
      subject,
      'warning',
      `${unknown.length} are of a newer version of Sluice: ${unknown.join(', ')}`,
      'During an upgrade this is as intended. Otherwise run the newer version: docs/operations/upgrade.md.',
    );
  if (pending.length === 0) return found(subject, 'ok', `all ${applied.length} are applied`);
  const advice = 'Run `sluice migrate`; each start does so, too.';
  return fault(subject, 'warning', `${pending.length} are not applied yet`, advice);
}
