import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { FeedItem } from '../../live/feed.ts';
import type { RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import { newComparisonRun, type ComparisonRun, type NewRun } from './comparison-run.ts';
import { laneWeight, type LaneEvent } from './lane-event.ts';
import type { LaneState } from './lane-state.ts';
import type { LaneDependencies } from './lane.ts';
import { RemoteRuns } from './remote-runs.ts';
import { MAX_RUNNING, tooManyRunning, type PreparedRun, type RunSnapshot } from './running-comparisons.ts';

const REPLAY_AFTER_END_MS = 5 * 60_000;
/** Bounds for completed runs and their approximate size in bytes; the first to complete is evicted first. */
const MAX_ENDED = { runs: 100, weight: 64 * 1024 * 1024 };
const SAVE_INTERVAL_MS = 2_000;
/** Stores the states of lanes. */
export interface LaneStore {
  /**
   * Stores the states of lanes and renews the run's lease.
   * @param endedAt when the last lane ended; null while one runs
   * @returns positions of the lanes to cancel; null where the comparison was deleted, or its lease ended
   */
  save(comparisonId: string, lanes: readonly LaneState[], endedAt: Date | null): Promise<readonly number[] | null>;
}

export interface ComparisonRunsDependencies extends LaneDependencies {
  readonly store: LaneStore;
  /** Null or absent where no other worker runs comparisons. */
  readonly feeds?: RemoteFeeds | null;
  /** Called when saving failed; it is retried. */
  readonly onSaveError: (error: unknown) => void;
}

/**
 * The comparisons of this process that run or ended within the last minutes: their events can be read from any cursor.
 */
export class ComparisonRuns {
  readonly #dependencies: ComparisonRunsDependencies;
  readonly #clock: Clock;
  readonly #remote: RemoteRuns;
  readonly #runs = new Map<string, ComparisonRun>();
  /** Sizes of the runs that have ended and are saved, first to end first. */
  readonly #ended = new Map<string, number>();
  #endedWeight = 0;

  constructor(dependencies: ComparisonRunsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#remote = new RemoteRuns(dependencies.feeds ?? null, (...asked) => this.read(...asked));
  }

  /**
   * Creates the lanes of a comparison, so that their request ids are known before it is stored. It counts as running
   * from now on: a caller that does not start it must `forget` it.
   * @throws SluiceError rate_limit_concurrency
   */
  prepare(run: NewRun): PreparedRun {
    const running = [...this.#runs.values()].filter(({ accountId, lanes }) => {
      return accountId === run.key.accountId && lanes.some(({ isRunning }) => isRunning);
    }).length;
    if (running >= MAX_RUNNING) throw tooManyRunning(run.key.accountId, running);
    const prepared = newComparisonRun(this.#dependencies, run, () => this.#laneEnded(run.id));
    this.#runs.set(run.id, prepared);
    this.#remote.offer(run.id);
    return {
      lanes: () => prepared.lanes.map(({ state }) => state),
      start: () => {
        // It was stopped in the meantime.
        if (this.#runs.get(run.id) !== prepared) return;
        prepared.timer = this.#clock.setInterval(() => this.#save(run.id), SAVE_INTERVAL_MS).unref();
        prepared.span = this.#dependencies.pipeline.dependencies.telemetry?.startOperation({
          name: `comparison ${run.kind}`,
          key: run.key,
          attributes: { 'sluice.comparison.models': run.models.length },
        });
        for (const lane of prepared.lanes) lane.start(prepared.span);
      },
    };
  }

  /** The current lanes; null where it does not run here. */
  lanes(id: string): readonly LaneState[] | null {
    return this.#runs.get(id)?.lanes.map(({ state }) => state) ?? null;
  }

  /** A consistent snapshot of lanes and end; null where it does not run here. */
  snapshot(id: string): RunSnapshot | null {
    const run = this.#runs.get(id);
    return run === undefined ? null : { lanes: run.lanes.map(({ state }) => state), endedAt: run.endedAt };
  }

  /** Ids of an account's comparisons whose end is not stored yet. */
  unsavedEnds(accountId: string): readonly string[] {
    return [...this.#runs]
      .filter(([, run]) => run.accountId === accountId && run.endedAt !== null && !run.isSaved)
      .map(([id]) => id);
  }

  /** Events from the start, or after a cursor; null where it does not run here. */
  read(id: string, after: string | null, signal: AbortSignal): AsyncIterableIterator<FeedItem<LaneEvent>> | null {
    const ring = this.#runs.get(id)?.ring;
    return ring?.read(after ?? ring.start, signal) ?? null;
  }

  /**
   * As `read`, where another worker runs it. Null where none does.
   * @throws RemoteFeedError while it is read, where that worker ends
   */
  follow(id: string, after: string | null, signal: AbortSignal): ReturnType<RemoteRuns['follow']> {
    return this.#remote.follow(id, after, signal);
  }

  /** Cancels one lane, or all running ones. @returns false where it does not run here */
  cancel(id: string, model: string | null): boolean {
    const run = this.#runs.get(id);
    if (run === undefined) return false;
    for (const lane of run.lanes) if (model === null || lane.state.model === model) lane.cancel();
    return true;
  }

  /** Cancels and removes a comparison. */
  forget(id: string): void {
    this.cancel(id, null);
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.span?.ended();
    run.ring.close();
    this.#drop(id);
  }

  /** Saves all pending states. Called before the database closes and after the pipeline has ended every request. */
  async stop(): Promise<void> {
    const saving = [...this.#runs.keys()].map((id) => this.#save(id));
    await Promise.all(saving);
    for (const run of this.#runs.values()) {
      run.timer?.cancel();
      run.ring.close();
    }
    this.#runs.clear();
    this.#ended.clear();
  }

  #laneEnded(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    if (run.lanes.every(({ isRunning }) => !isRunning)) {
      run.endedAt ??= new Date(this.#clock.now());
      run.span?.ended();
      run.ring.close();
    }
    void this.#save(id);
  }

  /** Serialised, so that an older state never overwrites a newer one. */
  #save(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined) return Promise.resolve();
    return (run.saving = run.saving.then(() => this.#saveNow(id, run)));
  }

  async #saveNow(id: string, run: ComparisonRun): Promise<void> {
    if (run.isSaved || this.#runs.get(id) !== run) return;
    const states = run.lanes.map(({ state }) => state).filter(({ position }) => run.unsaved.has(position));
    const { endedAt } = run;
    let cancelled: readonly number[] | null;
    try {
      cancelled = await this.#dependencies.store.save(id, states, endedAt);
    } catch (error) {
      this.#dependencies.onSaveError(error);
      return;
    }
    if (cancelled === null) return this.forget(id);
    for (const position of cancelled) run.lanes[position]?.cancel();
    for (const { position, status } of states) if (status !== 'running') run.unsaved.delete(position);
    if (endedAt === null) return;
    run.isSaved = true;
    run.timer?.cancel();
    run.timer = this.#clock.setTimeout(() => this.#drop(id), REPLAY_AFTER_END_MS).unref();
    this.#addEnded(id, run);
  }

  #addEnded(id: string, { ring, lanes }: ComparisonRun): void {
    const weight = lanes.reduce((sum, { state }) => sum + laneWeight(state), ring.weight);
    this.#ended.set(id, weight);
    this.#endedWeight += weight;
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= MAX_ENDED.runs && this.#endedWeight <= MAX_ENDED.weight) break;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#runs.get(id)?.timer?.cancel();
    this.#remote.release(id);
    this.#runs.delete(id);
    this.#endedWeight -= this.#ended.get(id) ?? 0;
    this.#ended.delete(id);
  }
}
