import { pino, type Logger } from 'pino';
import { delay, systemClock } from '../calendar/clock.ts';
import type { Configuration } from '../config/configuration.ts';
import { serializeError } from '../database/error-serializer.ts';
import type { SupervisorLink } from '../workers/supervisor-link.ts';
import { descriptors } from '../descriptors/descriptors.ts';
import { limitWarnings } from '../descriptors/limit-warnings.ts';
import { ensureFirstOwner, type FirstOwner } from '../services/identity/first-owner.ts';
import { openFoundation, type Foundation } from './foundation.ts';
import { readGraphqlSettings } from './graphql/settings.ts';
import { reportRecovered } from './gateway/report-recovered.ts';
import { wireGateway, type WiredGateway } from './gateway/wire-gateway.ts';
import { wireAdoption } from './journals/wire-adoption.ts';
import { listen } from './listen.ts';
import { wireServices, type WiredServices } from './services/wire-services.ts';
import { stop } from './stop.ts';
import { wireSurfaces } from './surfaces.ts';
import { wireTelemetry, type WiredTelemetry } from './telemetry.ts';

export interface RunningServer {
  readonly url: string;
  /** Set only at the first start. */
  readonly firstOwner: FirstOwner | null;
  readonly log: Logger;
  readonly openRequests: number;
  /** Resolves if another process has the data folder now; see FolderLock. `stop` then begins at once. */
  readonly folderLost: Promise<void>;
  /** `/readyz` returns 503 at once. After the shutdown delay it drains open requests, stores recorded usage, and closes all resources. */
  stop(): Promise<void>;
}

/**
 * Starts the server. Startup logs are written synchronously, so that later output is printed after them.
 * @param supervisor null where this process is no worker
 */
export async function serve(configuration: Configuration, supervisor: SupervisorLink | null): Promise<RunningServer> {
  const { LOG_LEVEL: level } = configuration.environment;
  let lines = pino.destination({ sync: true });
  let exportLine: ((line: string) => void) | null = null;
  const write = (line: string): void => {
    lines.write(line);
    exportLine?.(line);
  };
  const root = pino({ level, serializers: { err: serializeError } }, { write });
  const log = supervisor === null ? root : root.child({ worker: supervisor.slot });
  const telemetry = await wireTelemetry(configuration.environment, log);
  exportLine = telemetry?.logLine ?? null;
  const running = await start(configuration, supervisor, log, telemetry);
  // Asynchronous from now on: requests must not wait for a slow reader of the log.
  lines = pino.destination({ sync: false });
  return running;
}

/** In order of dependencies. */
async function start(
  configuration: Configuration,
  supervisor: SupervisorLink | null,
  log: Logger,
  telemetry: WiredTelemetry | null,
): Promise<RunningServer> {
  const { environment } = configuration;
  // Those of the other workers are the same.
  if (supervisor === null || supervisor.slot === 0)
    for (const warning of [...environment.warnings, ...limitWarnings(descriptors.limit)]) log.warn(warning);
  const state = { url: '', hasOwner: false, isStopping: false };
  const publicUrl = (): string => environment.SLUICE_PUBLIC_URL ?? state.url;
  const settings = await readGraphqlSettings(configuration);
  const foundation = await openFoundation(environment, supervisor, log);
  const gateway = await wireGateway(configuration, foundation, log, telemetry);
  telemetry?.follow(gateway.metrics);
  const services = await wireServices(foundation, gateway, { environment, cookies: settings.cookies, publicUrl, log });
  const surfaces = wireSurfaces(foundation, gateway, services, {
    environment,
    settings,
    publicUrl,
    state,
    telemetry,
    log,
  });
  await surfaces.metricsPage.start();
  const port = environment.PORT === 0 && supervisor !== null ? await supervisor.port() : environment.PORT;
  state.url = await listen(surfaces.app.server, environment.HOST, port, log);
  // After all steps that can fail: the password and the key are printed only once.
  const firstOwner = await ensureFirstOwner(foundation.database, gateway.keys.service, {
    email: environment.SLUICE_ADMIN_EMAIL,
    password: environment.SLUICE_ADMIN_PASSWORD,
  });
  state.hasOwner = true;
  startBackground(foundation, gateway, services, log);
  const adoption = wireAdoption(environment, foundation, gateway, log);
  adoption?.start();
  let shutdownDelayMs = environment.SLUICE_SHUTDOWN_DELAY_MS;
  const folderLost = foundation.lock.lost.then(() => {
    log.fatal({ folder: foundation.processDir }, 'another process has the data folder now; this one ends');
    // A request that begins now would be recorded in files that the other process has removed.
    shutdownDelayMs = 0;
  });
  return {
    url: state.url,
    firstOwner,
    log,
    folderLost,
    get openRequests() {
      return gateway.pipeline.openCount;
    },
    stop: async () => {
      state.isStopping = true;
      surfaces.app.closeAfterResponses();
      await delay(systemClock, shutdownDelayMs);
      await adoption?.stop();
      await stop(foundation, gateway, services, { ...surfaces, telemetry }, environment.SLUICE_DRAIN_TIMEOUT_MS);
    },
  };
}

/** Last, because the start does not depend on jobs. */
function startBackground(
  { database }: Foundation,
  { budgets, drainer, redis, usageStore }: WiredGateway,
  { batches, jobs, mailer, responses, videos }: WiredServices,
  log: Logger,
): void {
  drainer.start();
  void reportRecovered(drainer, redis.limits);
  // The embedded database is only open in this process.
  if (database.kind === 'server') database.changes.start();
  // A response whose usage is stored is not billed again. While the database is unavailable, none can be repeated.
  drainer
    .drain()
    .catch(() => undefined)
    .then(() => responses.resume())
    .catch((err: unknown) => log.error({ err }, 'resuming background responses failed'));
  batches.start().catch((err: unknown) => log.error({ err }, 'starting batches failed'));
  jobs
    .start()
    .then(() => {
      budgets.watch(videos.webhooks, mailer, usageStore);
      return videos.resume();
    })
    .catch((err: unknown) => log.error({ err }, 'starting the job queue failed'));
}
