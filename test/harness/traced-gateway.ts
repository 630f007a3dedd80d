import { systemClock } from '../../src/calendar/clock.ts';
import { visitMetrics } from '../../src/rest/metrics/render-metrics.ts';
import { startTelemetry } from '../../src/telemetry/start-telemetry.ts';
import { telemetrySettings } from '../../src/config/variables/telemetry-settings.ts';
import { parseEnvironment } from '../../src/config/environment.ts';
import { startGateway, type GatewayOptions, type TestGateway } from './gateway.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';

/** A gateway whose requests are traced. */
export interface TracedGateway {
  readonly gateway: TestGateway;
  readonly receiver: OtlpReceiver;
  readonly warnings: readonly string[];
  /** Closes the gateway, and exports what is left. @returns all spans */
  finish(): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

const STOP_MS = 60_000;

/** @param variables of OpenTelemetry, beside the receiver's address */
export async function startTracedGateway(
  options: GatewayOptions,
  variables: Readonly<Record<string, string>> = {},
): Promise<TracedGateway> {
  const receiver = await startOtlpReceiver();
  const settings = telemetrySettings(parseEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...variables }, []));
  if (settings === null) throw new Error('nothing is exported');
  const warnings: string[] = [];
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const telemetry = startTelemetry({ settings, clock: systemClock, log });
  const gateway = await startGateway({ ...options, ...(telemetry.requests && { telemetry: telemetry.requests }) });
  const { metrics } = gateway.pipeline.dependencies;
  telemetry.exportMetrics((visitor) => visitMetrics(metrics, [], visitor));
  let closing: Promise<void> | null = null;
  const closeGateway = (): Promise<void> => (closing ??= gateway.close());
  return {
    gateway,
    receiver,
    warnings,
    finish: async () => {
      await closeGateway();
      // The sockets of responses close in a later turn.
      await new Promise((resolve) => setImmediate(resolve));
      await telemetry.stop(STOP_MS);
      return receiver.spans;
    },
    close: async () => {
      await closeGateway();
      await telemetry.stop(0);
      await receiver.close();
    },
  };
}
