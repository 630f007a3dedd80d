import type { Exemplar, Histogram } from '../../gateway/metrics/histogram.ts';
import type { CapabilityMetrics, Gauge, GatewayMetrics, TargetMetrics } from '../../gateway/metrics/metrics.ts';
import { renderExemplar } from './exemplars.ts';

/** The parts of `GatewayMetrics` that are rendered. */
export type RenderedMetrics = Pick<GatewayMetrics, 'capabilities' | 'errors' | 'rejected' | 'gauges'> & {
  readonly targets: { readonly all: Iterable<TargetMetrics> };
};

type Labels = Readonly<Record<string, string>>;

/** Receives the metrics. A family comes before its samples. */
export interface MetricsVisitor {
  /** @param name without the prefix `sluice_` */
  family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): void;
  sample(name: string, labels: Labels, value: number): void;
  histogram(name: string, labels: Labels, histogram: Histogram): void;
}

/** A page in Prometheus' text format, with the exemplars of OpenMetrics. `formatFor` makes either of it. */
export function renderMetrics(metrics: RenderedMetrics, processGauges: readonly Gauge[]): string {
  const page = new MetricsPage();
  visitMetrics(metrics, processGauges, page);
  return page.text;
}

/** Visits all metrics, in the order of the page. */
export function visitMetrics(metrics: RenderedMetrics, processGauges: readonly Gauge[], page: MetricsVisitor): void {
  const capabilities = [...metrics.capabilities];
  renderCounts(page, capabilities);
  page.family('errors_total', 'counter', 'Error responses by code.');
  for (const [code, count] of metrics.errors) page.sample('errors_total', { code }, count);
  page.family(
    'requests_rejected_total',
    'counter',
    'Requests of known keys that were rejected before they reached a provider.',
  );
  for (const [capability, counts] of metrics.rejected)
    for (const [code, count] of counts) page.sample('requests_rejected_total', { capability, code }, count);
  renderHistograms(page, capabilities);
  renderTargets(page, [...metrics.targets.all]);
  for (const gauge of [...metrics.gauges, ...processGauges]) {
    page.family(gauge.name, gauge.type ?? 'gauge', gauge.help);
    page.sample(gauge.name, {}, gauge.read());
  }
}

type Named = readonly (readonly [string, CapabilityMetrics])[];

function renderCounts(page: MetricsVisitor, capabilities: Named): void {
  page.family(
    'requests_total',
    'counter',
    'Requests by capability and status class; `aborted` if the client disconnected.',
  );
  for (const [capability, counters] of capabilities)
    counters.requestsByClass.forEach((count, index) => {
      if (count > 0)
        page.sample('requests_total', { capability, status: index === 0 ? 'aborted' : `${index}xx` }, count);
    });
  page.family(
    'tokens_total',
    'counter',
    'Tokens by capability. Input includes cached tokens, output includes reasoning tokens.',
  );
  for (const [capability, counters] of capabilities) {
    page.sample('tokens_total', { capability, kind: 'input' }, counters.inputTokens);
    page.sample('tokens_total', { capability, kind: 'output' }, counters.outputTokens);
    page.sample('tokens_total', { capability, kind: 'cached' }, counters.cachedTokens);
    page.sample('tokens_total', { capability, kind: 'reasoning' }, counters.reasoningTokens);
  }
  page.family('open_requests', 'gauge', 'Open requests.');
  for (const [capability, counters] of capabilities)
    page.sample('open_requests', { capability }, counters.openRequests);
  page.family('open_streams', 'gauge', 'Open streamed responses.');
  for (const [capability, counters] of capabilities) page.sample('open_streams', { capability }, counters.openStreams);
}

function renderHistograms(page: MetricsVisitor, capabilities: Named): void {
  page.family('request_duration_seconds', 'histogram', 'Time from the request to the last byte of the response.');
  for (const [capability, { durationSeconds }] of capabilities)
    page.histogram('request_duration_seconds', { capability }, durationSeconds);
  page.family('first_token_seconds', 'histogram', 'Time from the request to the first token of the response.');
  for (const [capability, { firstTokenSeconds }] of capabilities)
    page.histogram('first_token_seconds', { capability }, firstTokenSeconds);
}

function renderTargets(page: MetricsVisitor, targets: readonly TargetMetrics[]): void {
  page.family(
    'model_requests_total',
    'counter',
    'Requests by provider, model and named route; the code is `ok`, `aborted` or an error code.',
  );
  for (const { provider, model, route, succeeded, failed } of targets) {
    if (succeeded > 0) page.sample('model_requests_total', { provider, model, route, code: 'ok' }, succeeded);
    for (const [code, count] of failed) page.sample('model_requests_total', { provider, model, route, code }, count);
  }
  page.family(
    'model_first_token_seconds',
    'histogram',
    'Time from the request to the first token of the response, by provider, model and named route.',
  );
  for (const { provider, model, route, firstTokenSeconds } of targets)
    page.histogram('model_first_token_seconds', { provider, model, route }, firstTokenSeconds);
}

class MetricsPage implements MetricsVisitor {
  text = '';

  family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): void {
    this.text += `# HELP sluice_${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`;
    this.text += `# TYPE sluice_${name} ${type}\n`;
  }

  sample(name: string, labels: Labels, value: number, exemplar?: Exemplar): void {
    const suffix = exemplar === undefined ? '' : renderExemplar(exemplar);
    this.text += `sluice_${name}${renderLabels(labels)} ${renderNumber(value)}${suffix}\n`;
  }

  /** Prometheus' buckets are cumulative. */
  histogram(name: string, labels: Labels, { bounds, counts, sum, exemplars }: Histogram): void {
    let total = 0;
    counts.forEach((count, index) => {
      total += count;
      const bound = bounds[index];
      const le = bound === undefined ? '+Inf' : String(bound);
      this.sample(`${name}_bucket`, { ...labels, le }, total, exemplars?.[index]);
    });
    this.sample(`${name}_sum`, labels, sum);
    this.sample(`${name}_count`, labels, total);
  }
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Prometheus writes infinity with a sign. */
export function renderNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`;
}
