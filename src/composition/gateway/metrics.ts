import { systemClock } from '../../calendar/clock.ts';
import { inTime } from '../../calendar/in-time.ts';
import type { Environment } from '../../config/environment.ts';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { listen } from '../listen.ts';
import type { EdgeLog } from '../../rest/http/errors.ts';
import { metricsReaders, type MetricsAccess, type RequireMetricsReader } from '../../rest/metrics/metrics-access.ts';
import { createMetricsServer } from '../../rest/metrics/metrics-server.ts';
import type { RenderMetricsPage } from '../../rest/metrics/metrics-router.ts';
import type { ProcessGauges } from '../../rest/metrics/process-gauges.ts';
import { renderMetrics } from '../../rest/metrics/render-metrics.ts';
import type { SupervisorLink } from '../../workers/supervisor-link.ts';

/** For a supervisor that does not respond. */
const MAX_MERGE_MS = 5_000;

export interface MetricsOptions extends Omit<MetricsAccess, 'token'> {
  readonly environment: Pick<Environment, 'SLUICE_METRICS_TOKEN' | 'SLUICE_METRICS_ADDRESS'>;
  readonly metrics: GatewayMetrics;
  readonly processGauges: ProcessGauges;
  /** Null where this process is no worker. */
  readonly supervisor: SupervisorLink | null;
  readonly log: EdgeLog & { info(fields: object, message: string): void };
}

export interface WiredMetrics {
  readonly requireReader: RequireMetricsReader;
  readonly render: RenderMetricsPage;
  /** Starts the separate metrics server, if an address is configured. */
  start(): Promise<void>;
  stop(): void;
}

/** Wires access to metrics, and the separate metrics server. */
export function wireMetrics(options: MetricsOptions): WiredMetrics {
  const { environment, metrics, log } = options;
  const { SLUICE_METRICS_TOKEN: token, SLUICE_METRICS_ADDRESS: address } = environment;
  const render = pageOf(options);
  const server = address === undefined ? null : createMetricsServer(render, metrics, token, log);
  return {
    requireReader: metricsReaders({ ...options, token }),
    render,
    start: async () => {
      if (server === null) return;
      const { hostname, port } = new URL(`http://${address}`);
      const url = await listen(server, hostname.replaceAll(/[[\]]/g, ''), Number(port || 80), log);
      log.info({ url: `${url}/metrics` }, `serving metrics on ${url}/metrics`);
    },
    stop: () => {
      server?.close();
      server?.closeAllConnections();
    },
  };
}

/** Of this process, or of all workers. */
function pageOf({
  metrics,
  processGauges,
  supervisor,
}: Pick<MetricsOptions, 'metrics' | 'processGauges' | 'supervisor'>): RenderMetricsPage {
  const gauges = processGauges.list();
  const own = (): string => renderMetrics(metrics, gauges);
  if (supervisor === null) return own;
  supervisor.handlers.onRequest('metrics', own);
  // Without its supervisor this worker is about to end.
  return () => {
    const page = own();
    const merged = supervisor.channel.request<string>('metrics', page);
    return inTime(systemClock, MAX_MERGE_MS, merged).catch(() => page);
  };
}
