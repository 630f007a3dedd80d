import { useSyncExternalStore } from 'react';
import { persistentState } from '../../../data/persistent-state.ts';
import { emptyCompletion, type Completion } from './completion.ts';
import type { CompletionRun } from './completion-run.ts';
import type { Turn } from './conversation.ts';

export const useTurns = persistentState<readonly Turn[]>([]);
/** The run of the last turn. That turn's own completion is filled when the next one starts. */
export const useRun = persistentState<CompletionRun | null>(null);
/** Images attached to the next message. */
export const useAttachedImages = persistentState<readonly string[]>([]);

const noopSubscribe = (): (() => void) => () => undefined;

/** The completion of a run as it streams; empty without a run. */
export function useCompletion(run: CompletionRun | null): Completion {
  return useSyncExternalStore(run?.subscribe ?? noopSubscribe, () => run?.completion ?? emptyCompletion);
}
