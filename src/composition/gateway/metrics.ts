import type { Environment } from '../../config/environment.ts';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { listen } from '../listen.ts';
import type { EdgeLog } from '../../rest/http/errors.ts';
import { metricsReaders, type MetricsAccess, type RequireMetricsReader } from '../../rest/metrics/metrics-access.ts';
import { createMetricsServer } from '../../rest/metrics/metrics-server.ts';
import type { ProcessGauges } from '../../rest/metrics/process-gauges.ts';

export interface MetricsOptions extends Omit<MetricsAccess, 'token'> {
  readonly environment: Pick<Environment, 'SLUICE_METRICS_TOKEN' | 'SLUICE_METRICS_ADDRESS'>;
  readonly metrics: GatewayMetrics;
  readonly processGauges: ProcessGauges;
  readonly log: EdgeLog & { info(fields: object, message: string): void };
}

export interface WiredMetrics {
  readonly requireReader: RequireMetricsReader;
  /** Starts the separate metrics server, if an address is configured. */
  start(): Promise<void>;
  stop(): void;
}

/** Wires access to metrics, and the separate metrics server. */
export function wireMetrics(options: MetricsOptions): WiredMetrics {
  const { environment, metrics, processGauges, log } = options;
  const { SLUICE_METRICS_TOKEN: token, SLUICE_METRICS_ADDRESS: address } = environment;
  const server = address === undefined ? null : createMetricsServer(metrics, processGauges, token, log);
  return {
    requireReader: metricsReaders({ ...options, token }),
    start: async () => {
      if (server === null) return;
      const { hostname, port } = new URL(`http://${address}`);
      const url = await listen(server, hostname.replaceAll(/[[\]]/g, ''), Number(port || 80));
      log.info({ url: `${url}/metrics` }, `serving metrics on ${url}/metrics`);
    },
    stop: () => {
      server?.close();
      server?.closeAllConnections();
    },
  };
}
