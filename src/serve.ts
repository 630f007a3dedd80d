import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino, type Logger } from 'pino';
import { buildApp, type App } from './app.ts';
import { systemClock } from './calendar/clock.ts';
import { Catalogue, UPDATED_CATALOGUE } from './catalogue/catalogue.ts';
import type { Configuration } from './config/configuration.ts';
import { closeDataFolder } from './config/data-folder-access.ts';
import { ownNames } from './config/known-hosts.ts';
import { loadSecret } from './config/secret.ts';
import { makeFolder } from './database/data-folder.ts';
import { openDatabase, type Database } from './database/database.ts';
import { serializeError } from './database/error-serializer.ts';
import { lockFolder, type FolderLock } from './database/embedded/folder-lock.ts';
import { SluiceError } from './errors/index.ts';
import { Completions } from './gateway/completions.ts';
import { recoverUnsettled } from './gateway/journal/recover-unsettled.ts';
import { drainingTo, JournalDrainer } from './gateway/journal/drainer.ts';
import { UsageJournal } from './gateway/journal/usage-journal.ts';
import { MAX_MEDIA_BYTES } from './gateway/media/media-store.ts';
import { GatewayMetrics } from './gateway/metrics.ts';
import { Pipeline } from './gateway/pipeline.ts';
import { ModelRouter } from './gateway/routing/model-router.ts';
import { JobQueue } from './jobs/job-queue.ts';
import { makeUsagePartitions } from './jobs/make-usage-partitions.ts';
import { removeOldUsage } from './jobs/remove-old-usage.ts';
import { sweepExpired } from './jobs/sweep-expired.ts';
import { LiveHub } from './live/live-hub.ts';
import { connectAccounts, type ConnectedAccounts } from './connect-accounts.ts';
import { connectBilling } from './connect-billing.ts';
import { connectIdentity, type ConnectedIdentity } from './connect-identity.ts';
import { connectMail } from './connect-mail.ts';
import { connectMetrics, type ConnectedMetrics } from './connect-metrics.ts';
import { connectPlans, type ConnectedPlans } from './connect-plans.ts';
import { connectKeys, keyConfiguration, type ConnectedKeys } from './connect-keys.ts';
import { connectComparisons, type ConnectedComparisons } from './connect-comparisons.ts';
import { connectCallers } from './connect-callers.ts';
import { connectBudgets, type ConnectedBudgets } from './connect-budgets.ts';
import { connectForwarding } from './connect-forwarding.ts';
import { connectGraphql, usageReaders } from './connect-graphql.ts';
import { connectIdempotency, type ConnectedIdempotency } from './connect-idempotency.ts';
import { connectProviders, type Connected } from './connect-providers.ts';
import { connectRedis, type Shared } from './connect-redis.ts';
import { connectResponses, type ConnectedResponses } from './connect-responses.ts';
import { connectTeams, type ConnectedTeams } from './connect-teams.ts';
import { connectVideos, type ConnectedVideos } from './connect-videos.ts';
import { listen } from './listen.ts';
import { readiness } from './connect-readiness.ts';
import type { Mailer } from './mail/mail.ts';
import { OutboundGuard } from './outbound/guard.ts';
import { MediaFetcher } from './outbound/media-fetcher.ts';
import { answerClientError } from './rest/client-error.ts';
import { buildCapabilityRoutes } from './rest/capability-routes.ts';
import { drainRequest } from './rest/drain-request.ts';
import { ProcessGauges } from './rest/metrics/process-gauges.ts';
import { UploadFolder } from './rest/upload-folder.ts';
import { ensureFirstOwner, type FirstOwner } from './services/accounts/first-owner.ts';
import { MemberReader } from './services/accounts/member-reader.ts';
import { SessionExchange } from './services/accounts/session-exchange.ts';
import { SessionsService } from './services/accounts/sessions.service.ts';
import { MediaService } from './services/media/media.service.ts';
import { UsageExport } from './services/usage/usage-export.ts';
import { retentionByPlan, UsageRetention } from './services/usage/usage-retention.ts';
import { UsageStore } from './services/usage/usage-store.ts';
import { BlobStore } from './storage/blob-store.ts';

/** Streams under way may go on for so long when the process is told to stop. */
const DRAIN_MS = 20_000;
const LAST_DRAIN_MS = 5_000;
const MEGABYTE = 1024 * 1024;

export interface RunningServer {
  readonly url: string;
  /** At the very first start only. */
  readonly firstOwner: FirstOwner | null;
  readonly log: Logger;
  readonly openRequests: number;
  /** Ends open work, stores what was metered, closes everything. */
  stop(): Promise<void>;
}

/** Starts everything. What is logged at the start is written at once: what is printed afterwards stands below it, whole. */
export async function serve(configuration: Configuration): Promise<RunningServer> {
  const { LOG_LEVEL: level } = configuration.environment;
  let lines = pino.destination({ sync: true });
  const running = await start(
    configuration,
    pino({ level, serializers: { err: serializeError } }, { write: (line) => void lines.write(line) }),
  );
  // From now on, requests need not wait for a slow reader of the log.
  lines = pino.destination({ sync: false });
  return running;
}

/** In the order in which things depend on each other. */
async function start(configuration: Configuration, log: Logger): Promise<RunningServer> {
  const { environment } = configuration;
  for (const warning of environment.warnings) log.warn(warning);
  const graphqlSettings = await connectGraphql(configuration);
  const { isKnownHost, cookies, isLocal } = graphqlSettings;
  const dataDir = resolve(environment.SLUICE_DATA_DIR);
  await makeFolder(dataDir);
  await closeDataFolder(dataDir, (text) => log.warn(text));
  const lock = await lockFolder(join(dataDir, 'lock'));
  const secret = await loadSecret({ given: environment.SLUICE_SECRET, dataDir, warn: (text) => log.warn(text) });
  const database = await openDatabase({ url: environment.DATABASE_URL, dataDir, log });
  await database.migrate();

  const connected = connectProviders(configuration, log);
  const journal = new UsageJournal(join(dataDir, 'journal'), log);
  const interrupted = recoverUnsettled(journal, (row, err) =>
    log.error({ row, err }, 'a record of the usage journal is spoilt and is left out'),
  );
  if (interrupted > 0) log.warn({ interrupted }, 'requests had been interrupted; their usage is estimated');
  const usageStore = new UsageStore(database, (row, err) =>
    log.error({ row, err }, 'a usage record could not be stored'),
  );
  const drainer = new JournalDrainer(journal, usageStore, log, drainingTo[database.kind]);

  const catalogue = new Catalogue({ updated: join(dataDir, UPDATED_CATALOGUE) });
  const guard = new OutboundGuard(environment.SLUICE_OUTBOUND_ALLOW, ownNames(environment));
  const accounts = await connectAccounts({
    database,
    secret,
    guard,
    connectTimeoutMs: () => connected.current.defaults.timeouts.connect,
    log,
    router: () => router,
  });
  const router = new ModelRouter(catalogue, accounts.connections);
  const stopConnecting = connected.keepRouting(router, catalogue);
  const configured = { ...keyConfiguration(environment, connected), models: accounts.models };
  const known = await connectKeys({ database, secret, redis: environment.REDIS_URL, log, ...configured });
  const { directory: keys, service: keysService } = known;
  const metrics = new GatewayMetrics();
  const shared = await connectRedis({ environment, secret, cache: configuration.file.cache, log });
  const { limits, cache, reasoning } = shared;
  const live = new LiveHub(shared.bus);
  const budgets = await connectBudgets({
    database,
    store: limits,
    plans: () => connected.current.plans,
    drainer,
    isStoreShared: environment.REDIS_URL !== undefined,
    bus: shared.bus,
    log,
  });
  const fetcher = new MediaFetcher({
    guard,
    connectTimeoutMs: connected.current.defaults.timeouts.connect,
    sizeLimit: MAX_MEDIA_BYTES,
    operatorsBase: (connectionId) => connected.current.bases.get(connectionId) ?? null,
  });
  const forwarded = connectForwarding(environment, connected, fetcher);
  const expiryOf = keysService.expiryOf.bind(keysService);
  const pipeline = new Pipeline({ limits, journal, router, live, metrics, cache, reasoning, log, forwarded, expiryOf });
  keys.onRevoked((keyId) =>
    pipeline.endKey(keyId, new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } })),
  );
  keys.onRestored((keyId) => pipeline.serveKey(keyId));
  metrics.addGauge({
    name: 'journal_undrained_bytes',
    help: 'Bytes of the usage journal that are not stored in the database yet.',
    read: () => journal.undrainedBytes,
  });

  const jobs = new JobQueue(database, { log });
  makeUsagePartitions(jobs, database);
  const retention = retentionByPlan(database, () => connected.current.plans);
  removeOldUsage(jobs, new UsageRetention(database, retention));
  const { mailer } = connectMail({ environment, secret, jobs, log });
  const blobs = new BlobStore(database, join(dataDir, 'blobs'));
  sweepExpired(jobs, database, blobs);

  const plans = connectPlans({
    database,
    jobs,
    plans: () => connected.current.plans,
    changed: (accountId) => {
      keys.evictAccount(accountId);
      void budgets.book.planOrBalanceChanged(accountId);
      billing.planChanged(accountId);
    },
    budgetsChanged: (accountId) => budgets.book.changed(accountId),
  });

  const billing = await connectBilling({
    environment,
    database,
    jobs,
    mailer,
    log,
    plans: () => connected.current.plans,
    applyDue: () => plans.service.applyDue(),
    balanceChanged: (accountId) => budgets.book.planOrBalanceChanged(accountId),
  });

  const videos = connectVideos({
    database,
    catalogue,
    journal,
    limits,
    jobs,
    operators: () => router.connections,
    accounts: accounts.connections,
    secret,
    guard,
    mailer,
    log,
  });
  known.warn(jobs, videos.webhooks);
  const responses = connectResponses({ database, pipeline, jobs, log });

  const sessions = new SessionsService(database, systemClock, cookies.isHttps, () => connected.current.sessions);
  let listeningAt = '';
  let hasOwner = false;
  const site = {
    usualPlan: () => connected.current.plans.usual.id,
    publicUrl: () => environment.SLUICE_PUBLIC_URL ?? listeningAt,
  };
  const common = { database, jobs, sessions, mailer, environment, log };
  const teams = connectTeams({ ...common, keys, keysService, accounts, ...site });
  const identity = connectIdentity({
    ...common,
    secret,
    ...site,
    configured: () => connected.current.identityProviders,
    invitations: teams.services.invitations,
    earlierAccess: teams.earlierAccess,
    approvals: teams.services.approvals,
  });
  const processGauges = new ProcessGauges();
  const metricsPage = connectMetrics({ environment, metrics, processGauges, isLocal, isKnownHost, log });
  const uploads = new UploadFolder(join(dataDir, 'uploads'), environment.SLUICE_UPLOAD_MEGABYTES * MEGABYTE);
  const media = new MediaService(blobs, secret, (source, from, signal) => fetcher.fetch(source, from, signal));
  const repeated = connectIdempotency({ dataDir, masterKey: secret, shared, log });
  const { idempotency } = repeated;
  const comparisons = connectComparisons({ database, pipeline, models: router, media, blobs, log });
  const callers = connectCallers({ keys, callers: teams.services.callers, accounts, budgets, isKnownHost, cookies });
  const app = buildApp({
    rest: {
      ...callers,
      models: router,
      limits,
      metrics,
      processGauges,
      securityText: { publicUrl: site.publicUrl, contact: environment.SLUICE_SECURITY_CONTACT },
      requireMetricsReader: metricsPage.requireReader,
      readiness: { check: () => readiness(journal, drainer, budgets.book.isRebuilt, hasOwner) },
      rejections: pipeline.parts.rejections,
      capabilities: buildCapabilityRoutes({ ...callers, limits, pipeline, uploads, media, idempotency }),
      media,
      responses: { ...responses, access: teams.services.callers, keys, limits, pipeline, idempotency },
      videos: { videos: videos.service, access: teams.services.callers, limits, pipeline, uploads, idempotency },
      exports: { usage: new UsageExport(database), account: teams.accountExport, ...teams.services, cookies },
      invoices: { invoices: billing.invoices, callers: teams.services.callers, cookies },
      ...(billing.webhook && { stripe: billing.webhook }),
      auth: { external: identity.external, sessions, cookies, log },
    },
    graphql: {
      ...identity,
      ...teams.services,
      sessions,
      keys: keysService,
      accessTokens: known.tokens,
      directory: keys,
      connections: accounts.service,
      accountRoutes: accounts.routes,
      plans: plans.service,
      ...billing.services,
      budgets: budgets.service,
      spenders: budgets.book,
      passedThresholds: budgets.passed,
      ...usageReaders(database, live),
      memberReader: new MemberReader(database),
      ...responses,
      videos: videos.service,
      webhooks: videos.webhooks,
      models: router,
      routes: router,
      live,
      completions: new Completions(pipeline),
      settings: graphqlSettings,
      comparisons: comparisons.service,
      discardBody: drainRequest,
      log,
    },
    dashboardFolder: fileURLToPath(new URL('dashboard', import.meta.url)),
    trustProxyHops: environment.TRUST_PROXY_HOPS,
    isKnownHost,
    cookies,
    sessions: new SessionExchange(database, sessions),
    log,
  });
  app.server.on('clientError', answerClientError);
  await metricsPage.start();
  const url = await listen(app.server, environment.HOST, environment.PORT);
  listeningAt = url;
  // After what may fail: its password and key are shown this once.
  const firstOwner = await ensureFirstOwner(database, keysService, {
    email: environment.SLUICE_ADMIN_EMAIL,
    password: environment.SLUICE_ADMIN_PASSWORD,
  });
  hasOwner = true;
  drainer.start();
  // The embedded database is open in this process alone.
  if (database.kind === 'server') database.changes.start();
  // Only now: nobody waits for a job at the start.
  jobs
    .start()
    .then(() => {
      budgets.watch(videos.webhooks, mailer, usageStore);
      return Promise.all([videos.resume(), responses.resume()]);
    })
    .catch((err: unknown) => log.error({ err }, 'the job queue could not be started'));
  return {
    url,
    firstOwner,
    log,
    get openRequests() {
      return pipeline.openCount;
    },
    stop: () =>
      stop({
        app,
        pipeline,
        drainer,
        jobs,
        mailer,
        journal,
        live,
        connected,
        accounts,
        budgets,
        comparisons,
        videos,
        responses,
        plans,
        identity,
        teams,
        database,
        lock,
        stopConnecting,
        known,
        processGauges,
        metricsPage,
        uploads,
        fetcher,
        shared,
        repeated,
      }),
  };
}

interface Parts {
  readonly app: App;
  readonly pipeline: Pipeline;
  readonly drainer: JournalDrainer;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly journal: UsageJournal;
  readonly live: LiveHub;
  readonly connected: Connected;
  readonly accounts: ConnectedAccounts;
  readonly budgets: ConnectedBudgets;
  readonly comparisons: ConnectedComparisons;
  readonly videos: ConnectedVideos;
  readonly responses: ConnectedResponses;
  readonly plans: ConnectedPlans;
  readonly identity: ConnectedIdentity;
  readonly teams: ConnectedTeams;
  readonly database: Database;
  readonly lock: FolderLock;
  readonly stopConnecting: () => void;
  readonly known: ConnectedKeys;
  readonly processGauges: ProcessGauges;
  readonly metricsPage: ConnectedMetrics;
  readonly uploads: UploadFolder;
  readonly fetcher: MediaFetcher;
  readonly shared: Shared;
  readonly repeated: ConnectedIdempotency;
}

async function stop(parts: Parts): Promise<void> {
  const { server } = parts.app;
  const closed = new Promise((resolved) => server.close(resolved));
  server.closeIdleConnections();
  await parts.pipeline.stop(DRAIN_MS);
  await parts.comparisons.stop();
  await parts.responses.stop();
  await parts.app.close();
  parts.live.close();
  server.closeIdleConnections();
  await Promise.race([closed, new Promise<void>((resolved) => systemClock.setTimeout(resolved, 1_000).unref())]);
  server.closeAllConnections();
  parts.stopConnecting();
  parts.known.close();
  parts.plans.stop();
  parts.teams.stop();
  parts.metricsPage.stop();
  parts.processGauges.stop();
  parts.uploads.close();
  await parts.repeated.close();
  parts.shared.close();
  await parts.fetcher.close();
  await parts.connected.close();
  await parts.accounts.close();
  await parts.budgets.close();
  await parts.jobs.stop();
  parts.mailer.close();
  await parts.identity.close();
  await parts.videos.close();
  await parts.drainer.stop(LAST_DRAIN_MS);
  parts.journal.removeDrained();
  parts.journal.close();
  await parts.database.close();
  await parts.lock.release();
}
