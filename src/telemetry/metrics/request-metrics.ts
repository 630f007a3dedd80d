import { Histogram } from '../../gateway/metrics/histogram.ts';
import type { HttpExchange, SettledRequest } from '../../gateway/telemetry/request-span.ts';
import { operationName, providerName } from '../traces/gen-ai.ts';

/** By the conventions, in tokens and seconds. */
const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power);
const operationBounds = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Of each metric. Model names may be client text: further series are counted as `_OTHER`. */
const MAX_SERIES = 2_000;
const OTHER = '_OTHER';
/** Other methods are client text. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type Labels = Readonly<Record<string, string | number>>;

export interface HistogramSeries {
  readonly labels: Labels;
  readonly histogram: Histogram;
}

/** Histograms by their labels. */
class SeriesOf {
  readonly all = new Map<string, HistogramSeries>();
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** @param key identifies the labels, which are created for a new one only */
  at(key: string, labels: () => Labels): Histogram {
    const known = this.all.get(key);
    if (known !== undefined) return known.histogram;
    if (this.all.size >= MAX_SERIES && key !== OTHER) return this.at(OTHER, () => ({ 'otel.metric.overflow': 'true' }));
    const created = { labels: labels(), histogram: new Histogram(this.#bounds) };
    this.all.set(key, created);
    return created.histogram;
  }
}

/** The metrics of the conventions, which `/metrics` does not have. */
export class RequestMetrics {
  readonly #tokens = new SeriesOf(tokenBounds);
  readonly #operations = new SeriesOf(operationBounds);
  readonly #requests = new SeriesOf(requestBounds);

  get tokenUsage(): Iterable<HistogramSeries> {
    return this.#tokens.all.values();
  }

  get operationDuration(): Iterable<HistogramSeries> {
    return this.#operations.all.values();
  }

  get requestDuration(): Iterable<HistogramSeries> {
    return this.#requests.all.values();
  }

  /** A settled request: what the attempt that is billed used and took. */
  settled({ admitted, target, outcome, attemptMs }: SettledRequest): void {
    // A response from the cache is no call of a provider.
    if (target.cachedCostNano !== undefined) return;
    const operation = operationName(admitted);
    const error = outcome.status === 'succeeded' ? null : (outcome.error?.code ?? outcome.status);
    const labels = (): Labels => ({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': providerName(target.connection.provider),
      'gen_ai.request.model': target.upstreamModel,
    });
    const key = `${operation} ${target.model}`;
    if (attemptMs !== null)
      this.#operations
        .at(error === null ? key : `${key} ${error}`, () => ({
          ...labels(),
          ...(error !== null && { 'error.type': error }),
        }))
        .observe(attemptMs / 1_000);
    const { inputTokens, outputTokens } = outcome.usage;
    if (inputTokens > 0)
      this.#tokens.at(`${key} input`, () => ({ ...labels(), 'gen_ai.token.type': 'input' })).observe(inputTokens);
    if (outputTokens > 0)
      this.#tokens.at(`${key} output`, () => ({ ...labels(), 'gen_ai.token.type': 'output' })).observe(outputTokens);
  }

  /** An HTTP request whose response is closed. */
  closed({ method, route, status }: HttpExchange, durationMs: number): void {
    this.#requests
      .at(`${method} ${route} ${status}`, () => ({
        'http.request.method': methods.has(method) ? method : OTHER,
        'url.scheme': 'http',
        ...(route !== null && { 'http.route': route }),
        ...(status === null ? { 'error.type': 'aborted' } : { 'http.response.status_code': status }),
        ...(status !== null && status >= 500 && { 'error.type': String(status) }),
      }))
      .observe(durationMs / 1_000);
  }
}
