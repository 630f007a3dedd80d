import { randomUUID } from 'node:crypto';
import type { Attributes, SpanContext } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Clock } from '../calendar/clock.ts';
import type { Telemetry } from '../gateway/telemetry/request-span.ts';
import type { FinishedContent } from '../gateway/content/content-log.ts';
import { logExporter, metricExporter, traceExporter } from './exporters.ts';
import { ExportQueue, type QueueLog } from './export-queue.ts';
import { logRecord } from './logs/log-records.ts';
import { MetricSource, type MetricVisitor } from './metrics/metric-source.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import { AwaitedContent } from './traces/awaited-content.ts';
import { SCHEMA_URL } from './traces/gen-ai.ts';
import { messageAttributes } from './traces/message-attributes.ts';
import { RequestTracer, UntracedRequests } from './traces/request-tracer.ts';
import type { SpanSource } from './traces/finished-span.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

/** Open requests whose log records have the context of their span. */
const MAX_OPEN_REQUESTS = 10_000;

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly clock: Clock;
  readonly log: QueueLog;
}

export interface StartedTelemetry {
  /** Null where neither traces nor metrics are exported. */
  readonly requests: Telemetry | null;
  /** Null where logs are not exported. */
  readonly logLine: ((line: string) => void) | null;
  /** Null where spans contain no messages. */
  readonly contentStored: ((batch: readonly FinishedContent[]) => void) | null;
  /** Exports the metrics from now on. @param visit visits those of `/metrics` */
  exportMetrics(visit: (visitor: MetricVisitor) => void): void;
  /** Spans, and log records, that were not exported. */
  droppedSpans(): number;
  droppedLogs(): number;
  /** Exports what is left; what takes longer is dropped. */
  stop(withinMs: number): Promise<void>;
}

/** Starts the exporters. The SDK registers nothing globally, and nothing is instrumented but requests. */
export function startTelemetry({ settings, clock, log }: TelemetryOptions): StartedTelemetry {
  const { signals } = settings;
  const source: SpanSource = {
    // Workers and instances report the same metrics: their series are told apart by it.
    resource: resourceFromAttributes({ 'service.instance.id': randomUUID(), ...settings.resource }),
    scope: { name: 'sluice', schemaUrl: SCHEMA_URL },
  };
  const queueOptions = { clock, log };
  const spans =
    signals.traces && new ExportQueue<ReadableSpan>(traceExporter(signals.traces), { ...queueOptions, items: 'spans' });
  const logs =
    signals.logs &&
    new ExportQueue<ReadableLogRecord>(logExporter(signals.logs), { ...queueOptions, items: 'log records' });
  const metrics = signals.metrics ? new RequestMetrics() : null;
  const emit = (span: ReadableSpan): void => spans?.push(span);
  const content = spans && settings.capturesContent ? new AwaitedContent(clock, emit) : null;
  const contexts = new OpenContexts();
  const now = preciseTime(clock);
  const tracer =
    spans === undefined
      ? metrics && new UntracedRequests(metrics, now)
      : new RequestTracer(
          {
            ...source,
            hasOpenInference: settings.hasOpenInference,
            now,
            emit,
            content,
            register: (requestId, context) => contexts.set(requestId, context),
            metrics,
          },
          settings,
        );
  let provider: MeterProvider | null = null;
  return {
    requests: tracer,
    logLine:
      logs === undefined
        ? null
        : (line) => {
            const record = logRecord({ ...source, contextOf: (requestId) => contexts.of(requestId) }, line);
            if (record !== null) logs.push(record);
          },
    contentStored:
      content &&
      ((batch) => {
        for (const { eventId, document } of batch) content.add(eventId, (): Attributes => messageAttributes(document));
      }),
    exportMetrics: (visit) => {
      if (signals.metrics === undefined || metrics === null) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: metricExporter(signals.metrics),
        exportIntervalMillis: settings.metricIntervalMs,
        exportTimeoutMillis: Math.min(signals.metrics.timeoutMs, settings.metricIntervalMs),
        metricProducers: [new MetricSource({ ...source, requests: metrics, visit, now })],
      });
      provider = new MeterProvider({ resource: source.resource, readers: [reader] });
    },
    droppedSpans: () => spans?.droppedCount ?? 0,
    droppedLogs: () => logs?.droppedCount ?? 0,
    stop: async (withinMs) => {
      content?.close();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = clock.setTimeout(resolve, withinMs).unref();
      const metricsStopped = provider?.shutdown().catch(() => undefined);
      await Promise.all([
        spans?.close(withinMs),
        logs?.close(withinMs),
        metricsStopped && Promise.race([metricsStopped, late]),
      ]);
      timer.cancel();
    },
  };
}

/** The time in milliseconds since 1970, with fractions. A jump of the system's time does not affect durations. */
function preciseTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic();
  return () => offset + clock.monotonic();
}

/** The contexts of open requests with spans, in bounded number. */
class OpenContexts {
  readonly #contexts = new Map<string, SpanContext>();

  set(requestId: string, context: SpanContext | null): void {
    if (context === null) this.#contexts.delete(requestId);
    else if (this.#contexts.size < MAX_OPEN_REQUESTS) this.#contexts.set(requestId, context);
  }

  of(requestId: string): SpanContext | undefined {
    return this.#contexts.get(requestId);
  }
}
