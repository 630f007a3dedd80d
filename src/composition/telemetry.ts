import type { Logger } from 'pino';
import { systemClock } from '../calendar/clock.ts';
import type { Environment } from '../config/environment.ts';
import { telemetrySettings } from '../config/variables/telemetry-settings.ts';
import type { GatewayMetrics } from '../gateway/metrics/metrics.ts';
import { telemetryGauges } from '../gateway/metrics/telemetry-gauges.ts';
import { ProcessGauges } from '../rest/metrics/process-gauges.ts';
import { visitMetrics } from '../rest/metrics/render-metrics.ts';
import type { StartedTelemetry } from '../telemetry/start-telemetry.ts';

const STOP_TIMEOUT_MS = 3_000;

export interface WiredTelemetry extends Pick<StartedTelemetry, 'requests' | 'logLine' | 'contentStored'> {
  /** Exports the metrics of the gateway, and counts there what is dropped. */
  follow(metrics: GatewayMetrics): void;
  stop(): Promise<void>;
}

/** Traces, metrics and logs. The SDK is only loaded where something is exported. @returns null where nothing is */
export async function wireTelemetry(environment: Environment, log: Logger): Promise<WiredTelemetry | null> {
  const settings = telemetrySettings(environment);
  if (settings === null) return null;
  const { startTelemetry } = await import('../telemetry/start-telemetry.ts');
  const started = startTelemetry({ settings, clock: systemClock, log });
  const gauges = new ProcessGauges();
  return {
    requests: started.requests,
    logLine: started.logLine,
    contentStored: started.contentStored,
    follow: (metrics) => {
      for (const gauge of telemetryGauges(started)) metrics.addGauge(gauge);
      // Gauges of its own: reading one for the event loop resets it.
      started.exportMetrics((visitor) => visitMetrics(metrics, gauges.list(), visitor));
    },
    stop: async () => {
      await started.stop(STOP_TIMEOUT_MS);
      gauges.stop();
    },
  };
}
