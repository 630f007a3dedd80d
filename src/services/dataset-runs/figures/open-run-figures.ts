import type { Clock } from '../../../calendar/clock.ts';
import type { ModelFigures } from './run-summary.ts';

/** Figures of runs in progress are computed at most this often: they are read again while a run is watched. */
const FRESH_MS = 3_000;
const MAX_RUNS = 1_000;

interface Entry {
  readonly at: number;
  readonly figures: Promise<readonly ModelFigures[]>;
}

/** The figures of runs in progress, which one process computes once for all readers. */
export class OpenRunFigures {
  readonly #load: (ids: readonly string[]) => Promise<ModelFigures[]>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries = new Map<string, Entry>();

  /** @param load figures of runs, in one statement */
  constructor(load: (ids: readonly string[]) => Promise<ModelFigures[]>, clock: Pick<Clock, 'now'>) {
    this.#load = load;
    this.#clock = clock;
  }

  /** Those of the runs, in no order. */
  async of(ids: readonly string[]): Promise<readonly ModelFigures[]> {
    const now = this.#clock.now();
    const old = ids.filter((id) => !this.#isFresh(id, now));
    if (old.length > 0) this.#refresh(old, now);
    const entries = ids.flatMap((id) => this.#entries.get(id) ?? []);
    return (await Promise.all(entries.map(({ figures }) => figures))).flat();
  }

  #isFresh(id: string, now: number): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && now - entry.at < FRESH_MS && now >= entry.at;
  }

  #refresh(ids: readonly string[], now: number): void {
    const loaded = this.#load(ids);
    for (const id of ids) {
      const figures = loaded.then((all) => all.filter(({ runId }) => runId === id));
      const entry = { at: now, figures };
      figures.catch(() => {
        if (this.#entries.get(id) === entry) this.#entries.delete(id);
      });
      // The last ones are those that were computed last.
      this.#entries.delete(id);
      this.#entries.set(id, entry);
    }
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= MAX_RUNS) break;
      this.#entries.delete(id);
    }
  }
}
