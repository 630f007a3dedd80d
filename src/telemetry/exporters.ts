import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Exporter } from './export-queue.ts';
import type { SignalSettings } from './telemetry-settings.ts';

type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

export function traceExporter(settings: SignalSettings): Exporter<ReadableSpan> {
  const options = optionsOf(settings);
  return settings.protocol === 'http/json' ? new JsonTraceExporter(options) : new OTLPTraceExporter(options);
}

export function metricExporter(settings: SignalSettings): PushMetricExporter {
  const options = optionsOf(settings);
  return settings.protocol === 'http/json' ? new JsonMetricExporter(options) : new OTLPMetricExporter(options);
}

export function logExporter(settings: SignalSettings): Exporter<ReadableLogRecord> {
  const options = optionsOf(settings);
  return settings.protocol === 'http/json' ? new JsonLogExporter(options) : new OTLPLogExporter(options);
}

/** What the exporters would read from the environment by themselves is stated. */
function optionsOf({ url, headers, timeoutMs, compression }: SignalSettings): ExporterOptions {
  return {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    // The enumeration's values, which the package of the enumeration only exports for its own use.
    compression: compression as NonNullable<ExporterOptions['compression']>,
  };
}
