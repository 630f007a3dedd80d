import { systemClock } from '../calendar/clock.ts';
import type { Foundation } from './foundation.ts';
import type { WiredGateway } from './gateway/wire-gateway.ts';
import type { WiredServices } from './services/wire-services.ts';
import type { WiredSurfaces } from './surfaces.ts';
import type { WiredTelemetry } from './telemetry.ts';

const FINAL_DRAIN_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Drains open requests, stores recorded usage, and closes all resources: surfaces first, the database last.
 * @param drainTimeoutMs how long open requests may continue
 */
export async function stop(
  foundation: Foundation,
  gateway: WiredGateway,
  services: WiredServices,
  surfaces: WiredSurfaces & { readonly telemetry: WiredTelemetry | null },
  drainTimeoutMs: number,
): Promise<void> {
  const { server } = surfaces.app;
  const closed = new Promise((resolved) => server.close(resolved));
  server.closeIdleConnections();
  surfaces.app.beginStop();
  services.batches.beginStop();
  await services.responses.beginStop();
  await gateway.pipeline.stop(drainTimeoutMs);
  await services.batches.stop();
  await services.comparisons.stop();
  await services.responses.stop();
  await surfaces.app.close();
  gateway.live.close();
  server.closeIdleConnections();
  await Promise.race([
    closed,
    new Promise<void>((resolved) => systemClock.setTimeout(resolved, CLOSE_TIMEOUT_MS).unref()),
  ]);
  server.closeAllConnections();
  gateway.stopRouting();
  gateway.keys.close();
  services.plans.stop();
  services.teams.stop();
  surfaces.metricsPage.stop();
  surfaces.processGauges.stop();
  surfaces.uploads.close();
  await surfaces.repeated.close();
  gateway.redis.close();
  await gateway.fetcher.close();
  await gateway.providers.close();
  await gateway.retired.close();
  await gateway.accounts.close();
  await gateway.budgets.close();
  await services.jobs.stop();
  services.mailer.close();
  await services.identity.close();
  await services.videos.close();
  await services.alerts.close();
  await gateway.content.queue.close(FINAL_DRAIN_TIMEOUT_MS);
  await Promise.all([gateway.content.drops.stop(FINAL_DRAIN_TIMEOUT_MS), gateway.drainer.stop(FINAL_DRAIN_TIMEOUT_MS)]);
  gateway.journal.removeDrained();
  gateway.journal.close();
  await foundation.storage.bucket?.close();
  await surfaces.telemetry?.stop();
  await foundation.replica?.close();
  await foundation.database.close();
  await foundation.lock.release();
}
