import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { buildApp, type App } from '../app.ts';
import type { Environment } from '../config/environment.ts';
import type { GraphqlSettings } from '../graphql/settings.ts';
import { buildCapabilityRoutes } from '../rest/capability-routes.ts';
import { answerClientError } from '../rest/http/client-error.ts';
import { ProcessGauges } from '../rest/metrics/process-gauges.ts';
import { UploadFolder } from '../rest/files/upload-folder.ts';
import { SessionExchange } from '../services/sessions/session-exchange.ts';
import type { DatasetExport } from '../services/datasets/dataset-export.ts';
import type { AccountExport } from '../services/members/account-export.ts';
import { UsageExport } from '../services/usage/export/usage-export.ts';
import type { Foundation } from './foundation.ts';
import { wireKeyAuthentication } from './gateway/key-authentication.ts';
import { wireIdempotency, type WiredIdempotency } from './gateway/idempotency.ts';
import { wireMetrics, type WiredMetrics } from './gateway/metrics.ts';
import { readiness, type ProcessState } from './gateway/readiness.ts';
import type { WiredGateway } from './gateway/wire-gateway.ts';
import type { WiredTelemetry } from './telemetry.ts';
import { wireGraphql } from './graphql/wire-graphql.ts';
import { clientObjects } from './services/client-objects.ts';
import type { WiredServices } from './services/wire-services.ts';

const MEGABYTE = 1024 * 1024;

export interface SurfacesOptions {
  readonly environment: Environment;
  readonly settings: GraphqlSettings;
  readonly publicUrl: () => string;
  /** Its values at the time of a request count. */
  readonly state: ProcessState;
  readonly telemetry: WiredTelemetry | null;
  readonly log: Logger;
}

export interface WiredSurfaces {
  readonly app: App;
  readonly metricsPage: WiredMetrics;
  readonly processGauges: ProcessGauges;
  readonly uploads: UploadFolder;
  readonly repeated: WiredIdempotency;
}

function exportsOf(
  reads: Foundation['reads'],
  { teams, datasets }: WiredServices,
): { usage: UsageExport; account: AccountExport; datasets: DatasetExport } {
  return { usage: new UsageExport(reads), account: teams.accountExport, datasets: datasets.exports };
}

/** REST, GraphQL and the dashboard, on one Express host that does not listen yet. */
export function wireSurfaces(
  { database, reads, processDir, masterKeys, supervisor }: Foundation,
  gateway: WiredGateway,
  services: WiredServices,
  { environment, settings, publicUrl, state, telemetry, log }: SurfacesOptions,
): WiredSurfaces {
  const { accounts, budgets, drainer, journal, keys, metrics, pipeline, redis, router } = gateway;
  const { batches, billing, feedback, files, fileUploads, identity, media, responses, sessions, teams, videos } =
    services;
  const { limits } = redis;
  const { isKnownHost, cookies, isLocal } = settings;
  const processGauges = new ProcessGauges();
  const metricsPage = wireMetrics({ environment, metrics, processGauges, supervisor, isLocal, isKnownHost, log });
  const uploads = new UploadFolder(join(processDir, 'uploads'), environment.SLUICE_UPLOAD_MEGABYTES * MEGABYTE);
  const repeated = wireIdempotency({ processDir, masterKeys, shared: redis, log });
  const { idempotency } = repeated;
  const access = teams.services.callers;
  const authentication = wireKeyAuthentication({
    keys: keys.directory,
    callers: access,
    accounts,
    budgets,
    isKnownHost,
    cookies,
  });
  const dashboardFolder = fileURLToPath(new URL('../dashboard', import.meta.url));
  const responseRoutes = {
    ...responses,
    connections: router,
    access,
    keys: keys.directory,
    limits,
    pipeline,
    idempotency,
  };
  const objects = clientObjects(responses.objects, access);
  const capabilityRoutes = { ...authentication, limits, pipeline, uploads, media, idempotency, objects };
  const app = buildApp({
    ...(telemetry?.requests && { telemetry: telemetry.requests }),
    ...(environment.SLUICE_RESPONSES_WEBSOCKET && { responseSockets: responseRoutes }),
    rest: {
      guideFolder: join(dashboardFolder, 'guide'),
      ...authentication,
      models: router,
      limits,
      metrics,
      renderMetrics: metricsPage.render,
      securityText: { publicUrl, contact: environment.SLUICE_SECURITY_CONTACT },
      requireMetricsReader: metricsPage.requireReader,
      readiness: { check: () => readiness(journal, drainer, budgets.cache.isRebuilt, state) },
      rejections: pipeline.dependencies.rejections,
      capabilities: buildCapabilityRoutes(capabilityRoutes, responseRoutes),
      gemini: { ...capabilityRoutes, models: router },
      media,
      responses: responseRoutes,
      chatCompletions: { chatCompletions: responses.chatCompletions, access, idempotency },
      conversations: responseRoutes,
      feedback: { feedback, access, idempotency },
      files: { files, fileUploads, access, uploads, idempotency },
      batches: { batches: batches.service, files, access, idempotency },
      videos: { videos: videos.service, access, limits, pipeline, uploads, idempotency },
      exports: { ...exportsOf(reads, services), ...teams.services, cookies },
      invoices: { invoices: billing.invoices, callers: access, cookies },
      ...(billing.webhook && { stripe: billing.webhook }),
      status: { status: services.status, isPublic: environment.SLUICE_PUBLIC_STATUS, callers: access, cookies },
      auth: { external: identity.external, sessions, cookies, log },
    },
    graphql: wireGraphql({ database, reads }, gateway, services, { settings, log }),
    dashboardFolder,
    trustProxyHops: environment.TRUST_PROXY_HOPS,
    isKnownHost,
    cookies,
    sessions: new SessionExchange(database, sessions),
    log,
  });
  app.server.on('clientError', answerClientError);
  return { app, metricsPage, processGauges, uploads, repeated };
}
