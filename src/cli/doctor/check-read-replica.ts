import { resolve } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { innermostMessage } from '../../database/connection-failure.ts';
import { openDatabase, type Database } from '../../database/database.ts';
import { migrationState } from '../../database/migration-state.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Read replica';
/** Reports that are older surprise. */
const MAX_LAG_SECONDS = 60;

/** Without a transaction to replay, a replica that has all it received is not behind, however old the last one is. */
const replication = `
select pg_is_in_recovery() as is_replica,
  case when pg_is_in_recovery() and pg_last_wal_receive_lsn() is distinct from pg_last_wal_replay_lsn()
    then extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 else 0 end as lag`;

/** The server that `DATABASE_READ_URL` names. A fault of it is a warning: the primary serves what it does not. */
export async function checkReadReplica(environment: Environment): Promise<readonly Finding[]> {
  const { DATABASE_READ_URL: url, DATABASE_POOLER: pooler } = environment;
  if (url === undefined) return [];
  let replica: Database | null = null;
  try {
    replica = await openDatabase({ url, pooler, dataDir: resolve(environment.SLUICE_DATA_DIR) });
    const [row] = await replica.query<{ is_replica: boolean; lag: number | null }>(replication);
    const state = await migrationState(replica);
    if (row === undefined || state === null || state.pending.length > 0)
      return [
        fault(
          SUBJECT,
          'warning',
          'it lacks the schema of this version',
          'Check that DATABASE_READ_URL names a replica of DATABASE_URL, and that it replicates.',
        ),
      ];
    const lag = row.lag ?? 0;
    if (lag > MAX_LAG_SECONDS)
      return [
        fault(
          SUBJECT,
          'warning',
          `it is ${Math.round(lag)} s behind: logs and reports lack the latest requests`,
          'Check the load of the replica and the network between both servers.',
        ),
      ];
    const kind = row.is_replica ? `a replica, ${lag.toFixed(1)} s behind` : 'no streaming replica';
    return [found(SUBJECT, 'ok', `${kind}; it serves logs and reports`)];
  } catch (error) {
    const { hostname, port } = new URL(url);
    return [
      fault(
        SUBJECT,
        'warning',
        `${hostname}:${port || '5432'} (DATABASE_READ_URL) could not be used: ${innermostMessage(error)}`,
        'Check that it runs, and the user, password and name in DATABASE_READ_URL. Until then the primary serves logs and reports.',
      ),
    ];
  } finally {
    await replica?.close();
  }
}
