import { useSyncExternalStore } from 'react';
import { keptState } from '../../../data/kept-state.ts';
import { emptyAnswer, type Answer } from './answer.ts';
import type { CompletionRun } from './completion-run.ts';
import type { Turn } from './conversation.ts';

export const useTurns = keptState<readonly Turn[]>([]);
/** The run of the last turn. That turn's own answer is filled when the next one starts. */
export const useRun = keptState<CompletionRun | null>(null);
/** Images attached to the next message. */
export const useAttachedImages = keptState<readonly string[]>([]);

const subscribeToNothing = (): (() => void) => () => undefined;

/** The answer of a run as it streams; empty without a run. */
export function useAnswer(run: CompletionRun | null): Answer {
  return useSyncExternalStore(run?.subscribe ?? subscribeToNothing, () => run?.answer ?? emptyAnswer);
}
