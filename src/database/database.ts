import 'reflect-metadata';
import { MikroORM, type EntityManager, type Options } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import { systemClock } from '../calendar/clock.ts';
import { AuditSubscriber } from './audit/audit-subscriber.ts';
import { ChangeWatch } from './change-watch.ts';
import { buildPartitionIndexes } from './concurrent-indexes.ts';
import { isConnectionFailure, unusable } from './connection-failure.ts';
import { findEmbeddedServer, startEmbeddedServer, type EmbeddedServer } from './embedded/embedded-server.ts';
import { FolderInUseError } from './embedded/folder-lock.ts';
import type { StorageLog } from './log.ts';
import { migrate } from './migrate.ts';
import { commonOrmOptions } from './orm-options.ts';
import type { ReadDatabase } from './read-database.ts';
import { unsharedPolls, type SharedPolls } from './polls/shared-polls.ts';
import type { SqlClient } from './sql.ts';

export interface Database extends ReadDatabase {
  /** `embedded`: one connection for all. Never await another fork or a provider inside a transaction. */
  readonly kind: 'embedded' | 'server';
  readonly orm: MikroORM;
  /** A new fork: one per request, operation or event. */
  em(): EntityManager;
  /**
   * Migrates the schema; safe when several processes do so concurrently. @throws DatabaseUnusableError if it cannot be reached
   * as configured
   */
  migrate(): Promise<{ applied: string[] }>;
  /** Commits when `work` returns, rolls back when it throws. */
  transaction<T>(work: (client: SqlClient) => Promise<T>): Promise<T>;
  /** @throws if the database does not respond */
  ping(): Promise<void>;
  /** Changes by other processes; polled only after its `start`. */
  readonly changes: ChangeWatch;
  /** Waits for running statements; a second call has no effect. */
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** Server PostgreSQL; the embedded database of `dataDir` where absent. */
  readonly url?: string | undefined;
  /** Set where `url` is that of a pooler that gives a connection to each transaction, such as PgBouncer. */
  readonly pooler?: 'transaction' | undefined;
  readonly dataDir: string;
  readonly log?: StorageLog | undefined;
  /** Whether the embedded database of a running server may be used through its local socket. */
  readonly attach?: boolean;
  /** Maximum number of connections to server PostgreSQL. */
  readonly connections?: number;
  /** With other workers of this machine. */
  readonly polls?: SharedPolls;
}

const DEFAULT_CONNECTIONS = 10;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
/** Above the server's own limit: it applies only if the server or the network stops responding. */
const silenceTimeoutMs = 40_000;
const idleInTransactionTimeoutMs = 60_000;
/** On the embedded database callers wait for the one shared connection. */
const embeddedQueueTimeoutMs = 30_000;

/**
 * Opens the embedded database, or connects to server PostgreSQL on first use. A lost connection is replaced at the next
 * statement; statements that fail meanwhile reject (see isConnectionFailure).
 * @throws FolderInUseError while another process has the embedded database open, unless `attach` is set
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { url, connections = DEFAULT_CONNECTIONS } = options;
  if (url !== undefined) {
    const server = database(
      'server',
      await connect(serverOptions(url, connections, options.pooler), options.log),
      async () => undefined,
      options.log,
      options.polls,
    );
    return {
      ...server,
      migrate: async () => {
        try {
          await buildPartitionIndexes(url, server, options.log);
          return await server.migrate();
        } catch (error) {
          throw unusable(url, error) ?? error;
        }
      },
    };
  }
  const server = await openEmbedded(options);
  try {
    const opened = database(
      'embedded',
      await connect(embeddedOptions(server.socketFolder), options.log),
      server.close,
      options.log,
    );
    // Its own connection comes first: any later connection is another process, which may change data.
    await opened.ping();
    server.onConnected(() => opened.changes.startFromNow());
    return opened;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The database of a data folder: served by this process, or by a running server. */
async function openEmbedded({ dataDir, log, attach = false }: OpenDatabaseOptions): Promise<EmbeddedServer> {
  try {
    return await startEmbeddedServer(dataDir, log);
  } catch (error) {
    const socketFolder = attach && error instanceof FolderInUseError ? await findEmbeddedServer(dataDir) : null;
    if (socketFolder === null) throw error;
    return { socketFolder, onConnected: () => undefined, close: async () => undefined };
  }
}

function embeddedOptions(socketFolder: string): Options {
  return {
    host: socketFolder,
    port: 5432,
    user: 'postgres',
    password: '',
    dbName: 'postgres',
    pool: { min: 0, max: 1 },
    driverOptions: { connectionTimeoutMillis: embeddedQueueTimeoutMs, idleTimeoutMillis: 0 },
  };
}

function serverOptions(url: string, connections: number, pooler: OpenDatabaseOptions['pooler']): Options {
  const { pathname, username } = new URL(url);
  return {
    dbName: decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username) || 'postgres',
    pool: { min: 0, max: connections },
    driverOptions: {
      connectionString: url,
      application_name: 'sluice',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: silenceTimeoutMs,
      keepAlive: true,
      // Settings of a session: a pooler, whose sessions are not those of its clients, refuses them.
      ...(pooler === undefined && {
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      }),
    },
  };
}

function connect(specific: Options, log: StorageLog | undefined): Promise<MikroORM> {
  const subscribers = [new AuditSubscriber()];
  return MikroORM.init({
    ...commonOrmOptions,
    ...specific,
    subscribers,
    colors: false,
    logger: (text) => log?.debug(text),
  });
}

function database(
  kind: Database['kind'],
  orm: MikroORM,
  closeServer: () => Promise<void>,
  log: StorageLog | undefined,
  polls: SharedPolls = unsharedPolls,
): Database {
  const pool = (): Promise<Pool> => orm.em.getConnection().getNativeClient();
  let closed: Promise<void> | undefined;
  const query: Database['query'] = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await (await pool()).query<Row>(text, [...values])).rows;
  const changes = new ChangeWatch({ query }, log, systemClock, polls);
  return {
    kind,
    orm,
    changes,
    em: () => orm.em.fork(),
    read: (work) => work(orm.em.fork()),
    migrate: () => migrate(orm),
    query,
    transaction: async (work) => inTransaction(await (await pool()).connect(), work),
    ping: async () => {
      await (await pool()).query('select 1');
    },
    close: () => {
      changes.close();
      return (closed ??= orm.close(true).then(closeServer));
    },
  };
}

async function inTransaction<T>(client: PoolClient, work: (client: SqlClient) => Promise<T>): Promise<T> {
  let broken = false;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    broken = isConnectionFailure(error) || !(await rolledBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
