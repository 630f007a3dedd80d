import { keptState } from '../../data/kept-state.ts';
import type { CompletionRun } from './completion-run.ts';
import type { Turn } from './conversation.ts';

export const useTurns = keptState<readonly Turn[]>([]);
/** The run of the last turn. That turn's own answer is filled when the next one starts. */
export const useRun = keptState<CompletionRun | null>(null);
/** Images attached to the next message. */
export const useAttachedImages = keptState<readonly string[]>([]);
