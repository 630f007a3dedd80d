import type { ErrorCode } from '../../errors/index.ts';
import type { Target } from '../routing/target.ts';
import { Histogram, type Exemplar } from './histogram.ts';

/** Upper bounds in seconds: from a cached response to a long reasoning run. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Counters of one capability. The data plane holds the object and increments numbers, without allocations or look-ups.
 */
export class CapabilityMetrics {
  /** By status class: index 2 is 2xx, 4 is 4xx; 0 is a client disconnect. */
  readonly requestsByClass = new Float64Array(6);
  readonly durationSeconds = new Histogram(durationBounds);
  readonly firstTokenSeconds = new Histogram(durationBounds);
  inputTokens = 0;
  outputTokens = 0;
  cachedTokens = 0;
  reasoningTokens = 0;
  openRequests = 0;
  openStreams = 0;

  requestEnded(httpStatus: number, durationMs: number): void {
    const statusClass = Math.trunc(httpStatus / 100);
    const index = statusClass >= 1 && statusClass <= 5 ? statusClass : 0;
    this.requestsByClass[index] = (this.requestsByClass[index] ?? 0) + 1;
    this.durationSeconds.observe(durationMs / 1000);
  }

  /** A request whose trace is exported, after `requestEnded`. @param at in milliseconds since 1970 */
  sampledEnded(span: Pick<Exemplar, 'traceId' | 'spanId'>, durationMs: number, at: number): void {
    this.durationSeconds.addExemplar({ ...span, value: durationMs / 1_000, at });
  }

  firstToken(afterMs: number): void {
    this.firstTokenSeconds.observe(afterMs / 1000);
  }

  tokensUsed(input: number, output: number, cached: number, reasoning: number): void {
    this.inputTokens += input;
    this.outputTokens += output;
    this.cachedTokens += cached;
    this.reasoningTokens += reasoning;
  }
}

/** A value that is read at scrape time. */
export interface Gauge {
  /** Without the `sluice_` prefix, in Prometheus' style: `journal_bytes`. */
  readonly name: string;
  /** A gauge where absent; a counter only grows. */
  readonly type?: 'counter';
  readonly help: string;
  read(): number;
}

/** The metrics of this process, rendered at scrape time. */
export class GatewayMetrics {
  readonly capabilities = new Map<string, CapabilityMetrics>();
  readonly errors = new Map<ErrorCode, number>();
  /** Rejected requests by capability and error code. */
  readonly rejected = new Map<string, Map<ErrorCode, number>>();
  readonly targets = new TargetCounters();
  readonly gauges: Gauge[] = [];

  /** The counters of a capability; the same object in every call. */
  capability(name: string): CapabilityMetrics {
    let counters = this.capabilities.get(name);
    if (counters === undefined) {
      counters = new CapabilityMetrics();
      this.capabilities.set(name, counters);
    }
    return counters;
  }

  errorAnswered(code: ErrorCode): void {
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }

  requestRejected(capability: string, code: ErrorCode): void {
    const counts = this.rejected.get(capability) ?? new Map<ErrorCode, number>();
    this.rejected.set(capability, counts.set(code, (counts.get(code) ?? 0) + 1));
  }

  /** Adds a gauge, such as journal bytes or drainer lag; called once by the owner of the value. */
  addGauge(gauge: Gauge): void {
    this.gauges.push(gauge);
  }
}

/** Maximum distinct series; further ones are counted as `other`. */
const MAX_TARGETS = 1_000;
const OTHER = 'other';
/** Upper bounds in seconds. */
const firstTokenBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counters of one model at one provider, per requested route. */
export class TargetMetrics {
  readonly provider: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** Empty where the request named a model. */
  readonly route: string;
  succeeded = 0;
  /** By error code; `aborted` where the client disconnected. */
  readonly failed = new Map<string, number>();
  readonly firstTokenSeconds = new Histogram(firstTokenBounds);

  constructor(provider: string, model: string, route: string) {
    this.provider = provider;
    this.model = model;
    this.route = route;
  }

  /** @param code null where it succeeded @param firstTokenMs null where there was none */
  ended(code: string | null, firstTokenMs: number | null): void {
    if (code === null) this.succeeded++;
    else this.failed.set(code, (this.failed.get(code) ?? 0) + 1);
    if (firstTokenMs !== null) this.firstTokenSeconds.observe(firstTokenMs / 1_000);
  }
}

/** The counters of all targets, in bounded number: model names may be client text. */
class TargetCounters {
  readonly #all = new Map<string, TargetMetrics>();
  /** A look-up without building a key: a target is one object for all of its requests. */
  readonly #known = new WeakMap<Target, Map<string, TargetMetrics>>();

  get all(): Iterable<TargetMetrics> {
    return this.#all.values();
  }

  /** @param name the requested route; empty for none */
  of(target: Target, name: string): TargetMetrics {
    let byName = this.#known.get(target);
    if (byName === undefined) this.#known.set(target, (byName = new Map()));
    const known = byName.get(name);
    if (known !== undefined) return known;
    const { provider } = target.connection;
    const counters = this.#counters(provider, target.model, name);
    // Beyond the bound no names are stored: there may be any number of them.
    if (counters.model !== OTHER) byName.set(name, counters);
    return counters;
  }

  #counters(provider: string, model: string, name: string): TargetMetrics {
    const key = JSON.stringify([provider, model, name]);
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    if (this.#all.size >= MAX_TARGETS && model !== OTHER) return this.#counters(OTHER, OTHER, OTHER);
    const created = new TargetMetrics(provider, model, name);
    this.#all.set(key, created);
    return created;
  }
}

/** The usage journal. */
export function journalGauge(journal: { readonly undrainedBytes: number }): Gauge {
  return {
    name: 'journal_undrained_bytes',
    help: 'Bytes in the usage journal that are not stored in the database yet.',
    read: () => journal.undrainedBytes,
  };
}
