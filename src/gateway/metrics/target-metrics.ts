import { Histogram } from './histogram.ts';
import type { Target } from '../routing/target.ts';

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
  /** By error code; `aborted` where the caller disconnected. */
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
export class TargetCounters {
  readonly #all = new Map<string, TargetMetrics>();
  /** A look-up without building a key: a target is one object for all of its requests. */
  readonly #known = new WeakMap<Target, Map<string, TargetMetrics>>();

  get all(): Iterable<TargetMetrics> {
    return this.#all.values();
  }

  /** @param name the requested route; empty for none */
  of(route: Target, name: string): TargetMetrics {
    let byName = this.#known.get(route);
    if (byName === undefined) this.#known.set(route, (byName = new Map()));
    const known = byName.get(name);
    if (known !== undefined) return known;
    const { provider } = route.connection;
    const counters = this.#counters(provider, route.model, name);
    // Beyond the bound no names are stored: there may be any number of them.
    if (counters.model !== OTHER) byName.set(name, counters);
    return counters;
  }

  #counters(provider: string, model: string, name: string): TargetMetrics {
    const key = JSON.stringify([provider, model, name]);
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    if (this.#all.size >= MAX_TARGETS && model !== OTHER) return this.#counters(OTHER, OTHER, OTHER);
    const made = new TargetMetrics(provider, model, name);
    this.#all.set(key, made);
    return made;
  }
}
