import { raw } from '@mikro-orm/core';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Comparison, ComparisonLane } from '../../database/entities/index.ts';
import type { LaneState } from '../../gateway/comparisons/lane-state.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { storableText } from '../../database/storable-text.ts';

/** The lease of a process that runs a comparison; it expires unless it is renewed. */
export const LEASE_MS = 15_000;
const SWEEP_INTERVAL_MS = 10_000;

/** Stores the results of lanes, and ends lanes whose process died. */
export class LaneRows {
  readonly #database: Database;
  readonly #clock: Clock;
  #timer: Timer | null = null;

  constructor(database: Database, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * @returns the lanes to cancel; null if the comparison was deleted, or ended by a sweep because this process was paused for longer
   * than its lease: what the sweep stored remains
   * @throws SluiceError database_unavailable
   */
  save(comparisonId: string, lanes: readonly LaneState[], endedAt: Date | null): Promise<readonly number[] | null> {
    return mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        // By the clock of the database: it also says when the lease has expired.
        const leaseUntil = raw<Date>(`clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'`);
        // In one transaction with the lanes, so that their end is always stored together.
        const lease = { leaseUntil, ...(endedAt !== null && { endedAt }) };
        const running = { id: comparisonId, endedAt: null };
        if ((await em.nativeUpdate(Comparison, running, lease)) === 0) return null;
        for (const { position, model: _model, requestId: _requestId, ...state } of lanes)
          await em.nativeUpdate(ComparisonLane, { comparison: comparisonId, position }, storableState(state));
        const asked = { comparison: comparisonId, cancelAsked: true, status: 'running' as const };
        return (await em.find(ComparisonLane, asked)).map(({ position }) => position);
      }),
    );
  }

  /**
   * Ends abandoned lanes, now and periodically.
   * @param isAlone whether no other process can be running lanes
   */
  start(isAlone: boolean, onFault: (error: unknown) => void): void {
    const sweep = (now: boolean): void => void this.sweep(now).catch(onFault);
    sweep(isAlone);
    this.#timer = this.#clock.setInterval(() => sweep(false), SWEEP_INTERVAL_MS).unref();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** @param all also lanes whose lease has not expired */
  async sweep(all: boolean): Promise<void> {
    await this.#database.transaction(async (client) => {
      const left = await client.query<{ id: string }>(
        `update comparisons set ended_at = least(lease_until, clock_timestamp())
         where ended_at is null and ($1 or lease_until <= clock_timestamp()) returning id`,
        [all],
      );
      const ids = left.rows.map(({ id }) => id);
      if (ids.length === 0) return;
      await client.query(
        `update comparison_lanes set status = 'interrupted' where comparison_id = any($1::uuid[]) and status = 'running'`,
        [ids],
      );
    });
  }
}

/** A provider's text may contain characters that PostgreSQL cannot store. */
function storableState<State extends Omit<LaneState, 'position' | 'model' | 'requestId'>>(state: State): State {
  const { output, reasoning, errorMessage, toolCalls, finishReason } = state;
  return {
    ...state,
    output: storableText(output),
    reasoning: storableText(reasoning),
    errorMessage: errorMessage === null ? null : storableText(errorMessage),
    finishReason: finishReason === null ? null : storableText(finishReason),
    toolCalls: toolCalls.map((call) => ({
      id: call.id === null ? null : storableText(call.id),
      name: call.name === null ? null : storableText(call.name),
      arguments: storableText(call.arguments),
    })),
  };
}
