import { join, resolve } from 'node:path';
import { pino, type Logger } from 'pino';
import { buildApp, type App } from './app.ts';
import { Catalogue, UPDATED_CATALOGUE } from './catalogue/catalogue.ts';
import type { Configuration } from './config/configuration.ts';
import { loadSecret } from './config/secret.ts';
import { makeFolder } from './database/data-folder.ts';
import { openDatabase, type Database } from './database/database.ts';
import { lockFolder, type FolderLock } from './database/embedded/folder-lock.ts';
import { SluiceError } from './errors/index.ts';
import { MemoryResponseCache } from './gateway/cache/response-cache.ts';
import { Completions } from './gateway/completions.ts';
import { adoptInterrupted } from './gateway/journal/adopt.ts';
import { JournalDrainer } from './gateway/journal/drainer.ts';
import { UsageJournal } from './gateway/journal/usage-journal.ts';
import { MemoryLimitStore } from './gateway/limits/memory-limit-store.ts';
import { MOST_MEDIA_BYTES } from './gateway/media/media-store.ts';
import { GatewayMetrics } from './gateway/metrics.ts';
import { Pipeline } from './gateway/pipeline.ts';
import { ModelRouter } from './gateway/routing/model-router.ts';
import { JobQueue } from './jobs/job-queue.ts';
import { makeUsagePartitions } from './jobs/make-usage-partitions.ts';
import { sweepExpired } from './jobs/sweep-expired.ts';
import { LiveHub } from './live/live-hub.ts';
import { connectAccounts, type ConnectedAccounts } from './connect-accounts.ts';
import { connectProviders, type Connected } from './connect-providers.ts';
import { connectVideos, type ConnectedVideos } from './connect-videos.ts';
import { OutboundGuard } from './outbound/guard.ts';
import { MediaFetcher } from './outbound/media-fetcher.ts';
import { answerClientError } from './rest/client-error.ts';
import { buildCapabilityRoutes } from './rest/capability-routes.ts';
import { ProcessGauges } from './rest/metrics/process-gauges.ts';
import { UploadFolder } from './rest/upload-folder.ts';
import { AccountsService } from './services/accounts/accounts.service.ts';
import { ensureFirstOwner, type FirstOwner } from './services/accounts/first-owner.ts';
import { SessionsService } from './services/accounts/sessions.service.ts';
import { SignInThrottle } from './services/accounts/sign-in-throttle.ts';
import { MemoryKeyDirectory } from './services/keys/key-directory.ts';
import { KeysService } from './services/keys/keys.service.ts';
import { watchRevocations } from './services/keys/watch-revocations.ts';
import { KeyPepper } from './services/keys/pepper.ts';
import { MediaService } from './services/media/media.service.ts';
import { UsageStore } from './services/usage/usage-store.ts';
import { UsageService } from './services/usage/usage.service.ts';
import { BlobStore } from './storage/blob-store.ts';
import type { RedisResponseCache } from './storage/redis-response-cache.ts';

/** Streams under way may go on for so long when the process is told to stop. */
const DRAIN_MS = 20_000;
const LAST_DRAIN_MS = 5_000;
const MEGABYTE = 1024 * 1024;
const FREE_SIGN_INS = { account: 5, address: 50 };

export interface RunningServer {
  readonly url: string;
  /** At the very first start only. */
  readonly firstOwner: FirstOwner | null;
  readonly log: Logger;
  /** Ends open work, stores what was metered, closes everything. */
  stop(): Promise<void>;
}

/** Starts everything. What is logged at the start is written at once: what is printed afterwards stands below it, whole. */
export async function serve(configuration: Configuration): Promise<RunningServer> {
  const { LOG_LEVEL: level } = configuration.environment;
  let lines = pino.destination({ sync: true });
  const running = await start(configuration, pino({ level }, { write: (line) => void lines.write(line) }));
  // From now on, requests need not wait for a slow reader of the log.
  lines = pino.destination({ sync: false });
  return running;
}

/** In the order in which things depend on each other. */
async function start(configuration: Configuration, log: Logger): Promise<RunningServer> {
  const { environment } = configuration;
  for (const warning of environment.warnings) log.warn(warning);
  const dataDir = resolve(environment.SLUICE_DATA_DIR);
  await makeFolder(dataDir);
  const lock = await lockFolder(join(dataDir, 'lock'));
  const secret = await loadSecret({ given: environment.SLUICE_SECRET, dataDir, warn: (text) => log.warn(text) });
  const database = await openDatabase({ url: environment.DATABASE_URL, dataDir, log });
  await database.migrate();

  const pepper = new KeyPepper([{ version: 1, masterKey: secret }]);
  const connected = connectProviders(configuration, log);
  const keys = new MemoryKeyDirectory({ database, pepper, defaults: () => connected.current.limits });
  const keysService = new KeysService(database, pepper, keys);
  const journal = new UsageJournal(join(dataDir, 'journal'), log);
  const interrupted = adoptInterrupted(journal, (row, err) =>
    log.error({ row, err }, 'a record of the usage journal is spoilt and is left out'),
  );
  if (interrupted > 0) log.warn({ interrupted }, 'requests had been interrupted; their usage is estimated');
  const usageStore = new UsageStore(database, (row, err) =>
    log.error({ row, err }, 'a usage record could not be stored'),
  );
  const drainer = new JournalDrainer(journal, usageStore, log);

  const catalogue = new Catalogue({ updated: join(dataDir, UPDATED_CATALOGUE) });
  const accounts = await connectAccounts({
    database,
    secret,
    outboundAllow: environment.SLUICE_OUTBOUND_ALLOW,
    connectTimeoutMs: () => connected.current.usual.timeouts.connect,
    log,
    onModels: (connectionId, models) => router.listed(connectionId, models),
  });
  const callers = accounts.preparing(keys);
  const router = new ModelRouter(catalogue, accounts.connections);
  const stopConnecting = connected.keepRouting(router, catalogue);
  const stopWatching = database.kind === 'server' ? watchRevocations(database, keys) : () => undefined;
  const live = new LiveHub();
  const metrics = new GatewayMetrics();
  const limits = new MemoryLimitStore();
  const { redis, megabytes } = configuration.file.cache;
  const shared = redis === undefined ? null : await openRedisCache(redis, log);
  const cache = shared ?? new MemoryResponseCache(megabytes * MEGABYTE);
  const pipeline = new Pipeline({
    limits,
    journal,
    router,
    live,
    metrics,
    cache,
    log,
  });
  keys.onRevoked((keyId) =>
    pipeline.endKey(keyId, new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } })),
  );
  metrics.addGauge({
    name: 'journal_undrained_bytes',
    help: 'Bytes of the usage journal that are not stored in the database yet.',
    read: () => journal.undrainedBytes,
  });

  const jobs = new JobQueue(database, log);
  makeUsagePartitions(jobs, database);
  const blobs = new BlobStore(database, join(dataDir, 'blobs'));
  sweepExpired(jobs, database, blobs);

  const videos = connectVideos({
    database,
    catalogue,
    journal,
    jobs,
    operators: () => router.connections,
    accounts: accounts.connections,
    secret,
    outboundAllow: environment.SLUICE_OUTBOUND_ALLOW,
    log,
  });

  const sessions = new SessionsService(database);
  const throttles = {
    accounts: new SignInThrottle(FREE_SIGN_INS.account),
    addresses: new SignInThrottle(FREE_SIGN_INS.address),
  };
  const processGauges = new ProcessGauges();
  const uploads = new UploadFolder(join(dataDir, 'uploads'));
  const fetcher = new MediaFetcher({
    guard: new OutboundGuard(environment.SLUICE_OUTBOUND_ALLOW),
    connectTimeoutMs: connected.current.usual.timeouts.connect,
    sizeLimit: MOST_MEDIA_BYTES,
  });
  const media = new MediaService(blobs, secret, (provider, from, signal) => fetcher.fetch(provider, from, signal));
  const app = buildApp({
    rest: {
      keys: callers,
      models: router,
      limits,
      metrics,
      processGauges,
      readiness: { check: () => readiness(journal, drainer) },
      capabilities: buildCapabilityRoutes({ keys: callers, limits, pipeline, uploads, media }),
      media,
      videos: { videos: videos.service, limits, pipeline, uploads },
    },
    graphql: {
      accounts: new AccountsService(database, sessions, throttles, environment.SLUICE_SIGNUP),
      sessions,
      keys: keysService,
      directory: keys,
      connections: accounts.service,
      accountRoutes: accounts.routes,
      usage: new UsageService(database),
      videos: videos.service,
      webhooks: videos.webhooks,
      models: router,
      routes: router,
      live,
      completions: new Completions(pipeline),
      log,
    },
    trustProxyHops: environment.TRUST_PROXY_HOPS,
    log,
  });
  app.server.on('clientError', answerClientError);
  const url = await listen(app, environment.HOST, environment.PORT);
  // After what may fail: its password and key are shown this once.
  const firstOwner = await ensureFirstOwner(database, keysService, {
    email: environment.SLUICE_ADMIN_EMAIL,
    password: environment.SLUICE_ADMIN_PASSWORD,
  });
  drainer.start();
  // Only now: nobody waits for a job at the start.
  jobs
    .start()
    .then(() => videos.resume())
    .catch((err: unknown) => log.error({ err }, 'the job queue could not be started'));
  return {
    url,
    firstOwner,
    log,
    stop: () =>
      stop({
        app,
        pipeline,
        drainer,
        jobs,
        journal,
        live,
        connected,
        accounts,
        videos,
        database,
        lock,
        stopConnecting,
        stopWatching,
        processGauges,
        uploads,
        fetcher,
        cache: shared,
      }),
  };
}

/** Redis' client is loaded only where it is used. */
async function openRedisCache(url: string, log: Logger): Promise<RedisResponseCache> {
  const { RedisResponseCache } = await import('./storage/redis-response-cache.ts');
  const cache = new RedisResponseCache(url, log);
  cache.open();
  return cache;
}

interface Parts {
  readonly app: App;
  readonly pipeline: Pipeline;
  readonly drainer: JournalDrainer;
  readonly jobs: JobQueue;
  readonly journal: UsageJournal;
  readonly live: LiveHub;
  readonly connected: Connected;
  readonly accounts: ConnectedAccounts;
  readonly videos: ConnectedVideos;
  readonly database: Database;
  readonly lock: FolderLock;
  readonly stopConnecting: () => void;
  readonly stopWatching: () => void;
  readonly processGauges: ProcessGauges;
  readonly uploads: UploadFolder;
  readonly fetcher: MediaFetcher;
  readonly cache: RedisResponseCache | null;
}

async function stop(parts: Parts): Promise<void> {
  const { server } = parts.app;
  const closed = new Promise((resolved) => server.close(resolved));
  server.closeIdleConnections();
  await parts.pipeline.stop(DRAIN_MS);
  await parts.app.close();
  parts.live.close();
  server.closeIdleConnections();
  await Promise.race([closed, new Promise((resolved) => setTimeout(resolved, 1_000).unref())]);
  server.closeAllConnections();
  parts.stopConnecting();
  parts.stopWatching();
  parts.processGauges.stop();
  parts.uploads.close();
  parts.cache?.close();
  await parts.fetcher.close();
  await parts.connected.close();
  await parts.accounts.close();
  await parts.jobs.stop();
  await parts.videos.close();
  await parts.drainer.stop(LAST_DRAIN_MS);
  parts.journal.removeDrained();
  parts.journal.close();
  await parts.database.close();
  await parts.lock.release();
}

function readiness(journal: UsageJournal, drainer: JournalDrainer): { ready: boolean; checks: Record<string, string> } {
  const checks = {
    journal: journal.failure ? 'cannot be written' : 'ok',
    database: drainer.failing ? 'not reachable; usage waits in the journal' : 'ok',
  };
  // Requests with known keys go on without the database; without the journal nothing may be served.
  return { ready: journal.failure === null, checks };
}

function listen(app: App, host: string, port: number): Promise<string> {
  return new Promise((resolved, reject) => {
    app.server.once('error', reject);
    app.server.listen(port, host, () => {
      const address = app.server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      resolved(`http://${shown.includes(':') ? `[${shown}]` : shown}:${bound}`);
    });
  });
}
