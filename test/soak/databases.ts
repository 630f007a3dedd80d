/** Which database a suite of this lane runs on. */
export interface SoakDatabase {
  readonly database: 'both' | 'embedded' | 'server PostgreSQL' | 'none';
  readonly reason: string;
}

/**
 * By file. What is about recovery, jobs, locks, change notification or partitions runs on the embedded
 * database and on server PostgreSQL. All else is the same on both, and runs on one.
 */
export const soakDatabases: Readonly<Record<string, SoakDatabase>> = {
  'adopted-journal.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'agents/agents.test.ts': { database: 'embedded', reason: 'It is about what agents and providers send each other.' },
  'agents/aider.test.ts': { database: 'embedded', reason: 'It is about what Aider and providers send each other.' },
  'agents/client-libraries.test.ts': { database: 'embedded', reason: 'It is about requests of clients.' },
  'agents/set-ups.test.ts': { database: 'none', reason: 'It starts agents on the server that all test files share.' },
  'alerts/scripted-hour.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'allowance.test.ts': {
    database: 'both',
    reason: 'Recovery: the next process has to know what an account has spent.',
  },
  'automatic-adoption.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'browser/long-log.test.ts': { database: 'embedded', reason: 'It is about what the page renders.' },
  'budgets.test.ts': {
    database: 'both',
    reason:
      'Recovery: sums are read from the log, and the journal is stored, before the server is ready. The suite without a restart is on the embedded one: reservations are in memory.',
  },
  'cli/commands.test.ts': {
    database: 'embedded',
    reason: 'The program finds its commands; `test/services/cli` runs them on server PostgreSQL.',
  },
  'cli/sbom.test.ts': { database: 'none', reason: 'npm reads the lock file.' },
  'cluster/four-processes.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'cluster/redis-cluster-faults.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'database-outage.test.ts': { database: 'server PostgreSQL', reason: 'The embedded database cannot be unreachable.' },
  'database/backup.test.ts': {
    database: 'both',
    reason: 'Recovery: a backup of each is made in another way.',
  },
  'database/parser-memory.test.ts': {
    database: 'embedded',
    reason: 'It is about the engine of the embedded database.',
  },
  'database/read-replica.test.ts': {
    database: 'server PostgreSQL',
    reason: 'The embedded database has no replica.',
  },
  'database/durable-embedded.test.ts': {
    database: 'embedded',
    reason: 'It is about the files of the embedded database, which are written to disk.',
  },
  'database/earlier-version.test.ts': {
    database: 'embedded',
    reason: 'It is about the start; `test/services/database` has the migrations on both.',
  },
  'database/embedded.test.ts': { database: 'embedded', reason: 'The lock of its folder, and its own process.' },
  'database/master-key-rotation.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; `test/services/master-keys` has the rotation on both.',
  },
  'database/previous-release.test.ts': {
    database: 'both',
    reason: 'Migrations: the release before this one runs on their schema.',
  },
  'database/pooler.test.ts': { database: 'server PostgreSQL', reason: 'A pooler is in front of a server.' },
  'database/recovery.test.ts': {
    database: 'both',
    reason: 'Transactions, concurrent migrations and lost connections differ.',
  },
  'deploy/image.test.ts': {
    database: 'both',
    reason: 'The image serves on both. Only the embedded one is in its volume.',
  },
  'deploy/manifests.test.ts': { database: 'none', reason: 'Manifests are rendered and validated; nothing starts.' },
  'deploy/prometheus.test.ts': { database: 'none', reason: 'Rules and a page are parsed; nothing starts.' },
  'descriptor-limit.test.ts': {
    database: 'server PostgreSQL',
    reason:
      'Workers; the suite of one process is on the embedded one, which has its files open in the process whose descriptors are counted.',
  },
  'failed-start.test.ts': {
    database: 'embedded',
    reason: 'The start fails before it would connect to a server, or at the data folder.',
  },
  'graphql/malformed-bodies.test.ts': { database: 'embedded', reason: 'The load is on the HTTP parser.' },
  'graphql/restarts.test.ts': {
    database: 'embedded',
    reason: 'What is left after a restart is rows, and a kill ends their database too.',
  },
  'graphql/sockets.test.ts': { database: 'embedded', reason: 'The load is on WebSockets.' },
  'graphql/subscribers.test.ts': { database: 'embedded', reason: 'The load is on WebSockets.' },
  'graphql/trusted-manifest.test.ts': { database: 'embedded', reason: 'The start fails at its configuration.' },
  'graphql/two-processes.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'idle-process.test.ts': { database: 'embedded', reason: 'It is about the memory of the process.' },
  'killed-archive.test.ts': { database: 'both', reason: 'Recovery of a lease, which each database keeps.' },
  'killed-background.test.ts': {
    database: 'embedded',
    reason: 'Recovery by the same jobs as that of `killed-batch.test.ts`: it is about what is relayed again.',
  },
  'killed-batch.test.ts': {
    database: 'embedded',
    reason: 'A kill ends the database too. `test/services/batches` has the leases on server PostgreSQL.',
  },
  'killed-dataset-run.test.ts': {
    database: 'embedded',
    reason: 'A kill ends the database too. `test/services/dataset-runs` has the rows on server PostgreSQL.',
  },
  'killed-provider-batch.test.ts': {
    database: 'embedded',
    reason: 'A kill ends the database too. `test/services/batches` has the leases on server PostgreSQL.',
  },
  'killed-upload.test.ts': {
    database: 'embedded',
    reason: 'It is about files in a bucket; their rows are single statements.',
  },
  'killed-content.test.ts': {
    database: 'embedded',
    reason:
      'On server PostgreSQL another instance may store the content for a minute; `test/services/content-log` has both.',
  },
  'killed-conversations.test.ts': {
    database: 'embedded',
    reason: 'The kill is of the process; each turn is added by one statement.',
  },
  'killed-process.test.ts': {
    database: 'embedded',
    reason: 'A kill ends the database too. `budgets.test.ts` has what recovers on server PostgreSQL.',
  },
  'limits/worker-limits.test.ts': { database: 'none', reason: 'Its processes have limits alone.' },
  'limits/workers-without-redis.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'logged-secrets.test.ts': { database: 'both', reason: 'It reads the files of the database.' },
  'long-batch.test.ts': { database: 'embedded', reason: 'It is about the memory of the process.' },
  'malformed-requests.test.ts': { database: 'embedded', reason: 'The load is on parsers and encoders.' },
  'openapi.test.ts': { database: 'embedded', reason: 'Responses are compared with the document.' },
  'redis/doctor.test.ts': { database: 'none', reason: 'It is about Redis.' },
  'redis/process-list.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/processes-on-a-cluster.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'redis/processes-on-one-redis.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'redis/redis-claims.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-cluster.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-feeds.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-limit-store.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-live-bus.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-reasoning-store.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-response-cache.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-security.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-sentinel.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'redis/redis-throttles.test.ts': { database: 'none', reason: 'It needs Redis alone.' },
  'rejection-flood.test.ts': { database: 'embedded', reason: 'Its counts are those of the journal and the log.' },
  'stalled-content.test.ts': {
    database: 'none',
    reason: 'It is about the memory of the gateway, which has no database here.',
  },
  'shutdown.test.ts': { database: 'embedded', reason: 'It is about what the server accepts while it stops.' },
  'stalled-content-process.test.ts': {
    database: 'server PostgreSQL',
    reason: 'It stalls one table by a lock; the embedded database has one connection.',
  },
  'video-budgets.test.ts': { database: 'embedded', reason: 'As `videos.test.ts`.' },
  'videos.test.ts': {
    database: 'embedded',
    reason: 'Jobs that the next process continues are rows like others, and a kill ends their database too.',
  },
  'workers/live-events.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
  'workers/workers.test.ts': {
    database: 'server PostgreSQL',
    reason: 'Several processes; the embedded database can be opened by one.',
  },
};
