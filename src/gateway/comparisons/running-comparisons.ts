import { SluiceError } from '../../errors/index.ts';
import type { LaneState } from './lane-state.ts';

/** Per account and process. */
export const MAX_RUNNING = 20;
const RETRY_AFTER_MS = 2_000;

export interface RunSnapshot {
  readonly lanes: readonly LaneState[];
  /** When the last of them ended; null while one runs. */
  readonly endedAt: Date | null;
}

export interface PreparedRun {
  lanes(): readonly LaneState[];
  start(): void;
}

export function tooManyRunning(account: string, used: number): SluiceError {
  return new SluiceError('rate_limit_concurrency', {
    retryAfterMs: RETRY_AFTER_MS,
    values: { model: 'comparisons', account, limit: MAX_RUNNING, used, wait: '2s' },
  });
}
