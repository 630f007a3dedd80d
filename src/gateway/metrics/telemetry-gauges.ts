import type { Gauge } from './metrics.ts';

/** What is observed of exports to a collector. */
export interface ObservedTelemetry {
  droppedSpans(): number;
  droppedLogs(): number;
}

/** Only where traces, metrics or logs are exported. */
export function telemetryGauges({ droppedSpans, droppedLogs }: ObservedTelemetry): readonly Gauge[] {
  return [
    {
      name: 'telemetry_dropped_spans_total',
      type: 'counter',
      help: 'Spans that were not exported, because the collector was too slow or failed. Only where telemetry is exported, as the next one.',
      read: droppedSpans,
    },
    {
      name: 'telemetry_dropped_logs_total',
      type: 'counter',
      help: 'Log records that were not exported, because the collector was too slow or failed.',
      read: droppedLogs,
    },
  ];
}
