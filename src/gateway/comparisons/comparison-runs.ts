import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { EventRing } from '../../live/event-ring.ts';
import type { FeedItem } from '../../live/feed.ts';
import { JoinedUpdates } from '../../live/joined-updates.ts';
import type { KeyRecord } from '../key-directory.ts';
import { joinLaneEvents, laneEventWeight, laneWeight, type LaneEvent } from './lane-event.ts';
import type { ComparisonKind, ComparisonQuestion, LaneState } from './lane-state.ts';
import { Lane, type LaneParts } from './lane.ts';

const RING = { events: 100_000, weight: 16 * 1024 * 1024 };
const KEPT_AFTER_END_MS = 5 * 60_000;
/** Of those that have ended, and about the bytes that they hold: beyond these the first to end are forgotten first. */
const MAX_ENDED = { runs: 100, weight: 64 * 1024 * 1024 };
const SAVED_EVERY_MS = 2_000;
/** Of one account in this process. */
const MAX_RUNNING = 20;
const ROOM_WAIT_MS = 2_000;

/** Keeps what lanes have come to. */
export interface LaneStore {
  /**
   * Keeps how lanes stand, and that whoever runs them is alive.
   * @param endedAt when the last of all its lanes ended; null while one runs
   * @returns the positions of lanes that are to be cancelled; null where the comparison was deleted
   */
  save(comparisonId: string, lanes: readonly LaneState[], endedAt: Date | null): Promise<readonly number[] | null>;
}

export interface RunsParts extends LaneParts {
  readonly store: LaneStore;
  /** Told why something could not be saved; it is tried again. */
  readonly onSaveError: (error: unknown) => void;
}

export interface NewRun {
  readonly id: string;
  readonly key: KeyRecord;
  readonly kind: ComparisonKind;
  readonly question: ComparisonQuestion;
  readonly models: readonly string[];
}

interface Run {
  readonly accountId: string;
  readonly lanes: readonly Lane[];
  readonly ring: EventRing<LaneEvent>;
  /** Positions whose last state is not saved yet. */
  readonly unsaved: Set<number>;
  saving: Promise<void>;
  /** When its last lane ended; null while one runs. */
  endedAt: Date | null;
  isSaved: boolean;
  /** None until it is started. */
  timer: Timer | undefined;
}

/**
 * Comparisons that run in this process, and those that ended in the last minutes: their events can be read again from any
 * cursor.
 */
export class ComparisonRuns {
  readonly #parts: RunsParts;
  readonly #clock: Clock;
  readonly #runs = new Map<string, Run>();
  /** The weights of those that have ended and are saved, the first to end first. */
  readonly #ended = new Map<string, number>();
  #endedWeight = 0;

  constructor(parts: RunsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /**
   * Lanes of a comparison that is to be run: their request ids are known before it is kept. It counts as running from now on:
   * whoever does not start it forgets it.
   * @throws SluiceError rate_limit_concurrency
   */
  prepare(run: NewRun): PreparedRun {
    const running = [...this.#runs.values()].filter(({ accountId, lanes }) => {
      return accountId === run.key.accountId && lanes.some(({ isRunning }) => isRunning);
    }).length;
    if (running >= MAX_RUNNING) throw tooMany(run.key.accountId, running);
    const ring = new EventRing<LaneEvent>(RING);
    const updates = new JoinedUpdates(
      {
        ring,
        join: joinLaneEvents,
        nameOf: ({ position }) => String(position),
        weightOf: laneEventWeight,
      },
      this.#clock,
    );
    const onEvent = (event: LaneEvent): void => {
      updates.push(event);
      if (event.update.type === 'ended') this.#laneEnded(run.id, () => updates.flush());
    };
    const lanes = run.models.map((model, position) => new Lane(this.#parts, { ...run, position, model, onEvent }));
    const unsaved = new Set(lanes.keys());
    const saving = Promise.resolve();
    const prepared: Run = {
      accountId: run.key.accountId,
      lanes,
      ring,
      unsaved,
      saving,
      endedAt: null,
      isSaved: false,
      timer: undefined,
    };
    this.#runs.set(run.id, prepared);
    return {
      lanes: () => lanes.map(({ state }) => state),
      start: () => {
        // Stopped meanwhile.
        if (this.#runs.get(run.id) !== prepared) return;
        prepared.timer = this.#clock.setInterval(() => this.#save(run.id), SAVED_EVERY_MS).unref();
        for (const lane of lanes) lane.start();
      },
    };
  }

  /** Its lanes as they stand; null where it does not run here. */
  lanes(id: string): readonly LaneState[] | null {
    return this.#runs.get(id)?.lanes.map(({ state }) => state) ?? null;
  }

  /** Its lanes and its end at one moment; null where it does not run here. */
  snapshot(id: string): RunSnapshot | null {
    const run = this.#runs.get(id);
    return run === undefined ? null : { lanes: run.lanes.map(({ state }) => state), endedAt: run.endedAt };
  }

  /** Of an account, the comparisons whose end is not stored yet. */
  unsavedEnds(accountId: string): readonly string[] {
    return [...this.#runs]
      .filter(([, run]) => run.accountId === accountId && run.endedAt !== null && !run.isSaved)
      .map(([id]) => id);
  }

  /** From its first event, or from behind a cursor; null where it does not run here. */
  read(id: string, after: string | null, signal: AbortSignal): AsyncIterableIterator<FeedItem<LaneEvent>> | null {
    const ring = this.#runs.get(id)?.ring;
    return ring?.read(after ?? ring.start, signal) ?? null;
  }

  /** Cancels a lane, or all that still run. False where it does not run here. */
  cancel(id: string, model: string | null): boolean {
    const run = this.#runs.get(id);
    if (run === undefined) return false;
    for (const lane of run.lanes) if (model === null || lane.state.model === model) lane.cancel();
    return true;
  }

  /** Ends what runs of it, and forgets it. */
  forget(id: string): void {
    this.cancel(id, null);
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.ring.close();
    this.#drop(id);
  }

  /** Saves what is not saved yet. Before the database is closed, and after the pipeline has ended every request. */
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

  #laneEnded(id: string, flush: () => void): void {
    flush();
    const run = this.#runs.get(id);
    if (run === undefined) return;
    if (run.lanes.every(({ isRunning }) => !isRunning)) {
      run.endedAt ??= new Date(this.#clock.now());
      run.ring.close();
    }
    void this.#save(id);
  }

  /** One at a time: what was seen later is not overwritten by what was seen before. */
  #save(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined) return Promise.resolve();
    return (run.saving = run.saving.then(() => this.#saveNow(id, run)));
  }

  async #saveNow(id: string, run: Run): Promise<void> {
    if (run.isSaved || this.#runs.get(id) !== run) return;
    const states = run.lanes.map(({ state }) => state).filter(({ position }) => run.unsaved.has(position));
    const { endedAt } = run;
    let cancelled: readonly number[] | null;
    try {
      cancelled = await this.#parts.store.save(id, states, endedAt);
    } catch (error) {
      this.#parts.onSaveError(error);
      return;
    }
    if (cancelled === null) return this.forget(id);
    for (const position of cancelled) run.lanes[position]?.cancel();
    for (const { position, status } of states) if (status !== 'running') run.unsaved.delete(position);
    if (endedAt === null) return;
    run.isSaved = true;
    run.timer?.cancel();
    run.timer = this.#clock.setTimeout(() => this.#drop(id), KEPT_AFTER_END_MS).unref();
    this.#keepEnded(id, run);
  }

  #keepEnded(id: string, { ring, lanes }: Run): void {
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
    this.#runs.delete(id);
    this.#endedWeight -= this.#ended.get(id) ?? 0;
    this.#ended.delete(id);
  }
}

export interface RunSnapshot {
  readonly lanes: readonly LaneState[];
  /** When the last of them ended; null while one runs. */
  readonly endedAt: Date | null;
}

export interface PreparedRun {
  lanes(): readonly LaneState[];
  start(): void;
}

function tooMany(account: string, used: number): SluiceError {
  return new SluiceError('rate_limit_concurrency', {
    retryAfterMs: ROOM_WAIT_MS,
    values: { model: 'comparisons', account, limit: MAX_RUNNING, used, wait: '2s' },
  });
}
