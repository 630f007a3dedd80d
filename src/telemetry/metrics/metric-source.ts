import { ValueType } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type DataPoint,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Histogram } from '../../gateway/metrics/histogram.ts';
import type { Labels, RequestMetrics } from './request-metrics.ts';
import { hrTime } from '../traces/finished-span.ts';

/** Receives the metrics of `/metrics`, as its renderer writes them. */
export interface MetricVisitor {
  family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): void;
  sample(name: string, labels: Labels, value: number): void;
  histogram(name: string, labels: Labels, histogram: Histogram): void;
}

export interface MetricSourceOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly requests: RequestMetrics;
  /** Visits the metrics of `/metrics`. */
  readonly visit: (visitor: MetricVisitor) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The metrics as the SDK's reader collects them. They are counted by the gateway in any case: an instrument of the SDK would count
 * them again in each request.
 */
export class MetricSource implements MetricProducer {
  readonly #options: MetricSourceOptions;
  readonly #startedAt: number;

  constructor(options: MetricSourceOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  collect(): Promise<CollectionResult> {
    const { resource, scope, requests, visit, now } = this.#options;
    const page = new CollectedMetrics(this.#startedAt, now());
    visit(page);
    page.prefix = '';
    page.family('gen_ai.client.token.usage', 'histogram', 'Tokens of calls of providers.', '{token}');
    for (const { labels, histogram } of requests.tokenUsage)
      page.histogram('gen_ai.client.token.usage', labels, histogram);
    page.family('gen_ai.client.operation.duration', 'histogram', 'Duration of calls of providers.', 's');
    for (const { labels, histogram } of requests.operationDuration)
      page.histogram('gen_ai.client.operation.duration', labels, histogram);
    page.family('http.server.request.duration', 'histogram', 'Duration of HTTP requests to the APIs.', 's');
    for (const { labels, histogram } of requests.requestDuration)
      page.histogram('http.server.request.duration', labels, histogram);
    const metrics = page.metrics.filter(({ dataPoints }) => dataPoints.length > 0);
    return Promise.resolve({ resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] });
  }
}

class CollectedMetrics implements MetricVisitor {
  readonly metrics: MetricData[] = [];
  /** As on the page, whose names are the same. */
  prefix = 'sluice_';
  readonly #byName = new Map<string, MetricData>();
  readonly #times: Pick<DataPoint<number>, 'startTime' | 'endTime'>;

  /** @param startedAt in milliseconds since 1970 @param now likewise */
  constructor(startedAt: number, now: number) {
    this.#times = {
      startTime: hrTime(startedAt),
      endTime: hrTime(now),
    };
  }

  family(name: string, type: 'counter' | 'gauge' | 'histogram', description: string, unit?: string): void {
    const fullName = this.prefix + name;
    const metric = metricOf(type, {
      name: fullName,
      description,
      unit: unit ?? (name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : ''),
      valueType: ValueType.DOUBLE,
    });
    this.metrics.push(metric);
    this.#byName.set(fullName, metric);
  }

  sample(name: string, labels: Labels, value: number): void {
    const metric = this.#byName.get(this.prefix + name);
    if (metric === undefined || !Number.isFinite(value)) return;
    if (metric.dataPointType === DataPointType.SUM || metric.dataPointType === DataPointType.GAUGE)
      metric.dataPoints.push({ ...this.#times, attributes: labels, value });
  }

  histogram(name: string, labels: Labels, { bounds, counts, sum }: Histogram): void {
    const metric = this.#byName.get(this.prefix + name);
    if (metric?.dataPointType !== DataPointType.HISTOGRAM) return;
    const buckets = { boundaries: [...bounds], counts: [...counts] };
    const count = buckets.counts.reduce((total, each) => total + each, 0);
    metric.dataPoints.push({ ...this.#times, attributes: labels, value: { buckets, sum, count } });
  }
}

function metricOf(type: 'counter' | 'gauge' | 'histogram', descriptor: MetricData['descriptor']): MetricData {
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  switch (type) {
    case 'counter':
      return {
        descriptor,
        aggregationTemporality,
        dataPointType: DataPointType.SUM,
        dataPoints: [],
        isMonotonic: true,
      };
    case 'gauge':
      return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints: [] };
    case 'histogram':
      return { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints: [] };
  }
}
