import { keptState } from '../../data/kept-state.ts';
import type { CompletionRun } from './completion-run.ts';
import type { Turn } from './conversation.ts';

export const useTurns = keptState<readonly Turn[]>([]);
/** Of the last turn, whose own answer is empty until the next. */
export const useRun = keptState<CompletionRun | null>(null);
/** Attached to the next message. */
export const usePictures = keptState<readonly string[]>([]);
