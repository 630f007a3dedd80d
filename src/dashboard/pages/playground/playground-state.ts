import { persistentState } from '../../data/persistent-state.ts';
import type { Capability } from './capabilities.ts';
import type { Draft } from './draft.ts';
import type { OpenedReplay } from './replay/replay-notice.tsx';

type Models = Readonly<Partial<Record<Capability, string>>>;

export const useDrafts = persistentState<Readonly<Partial<Record<Capability, Draft>>>>({});
/** The last capability, and the model of each capability. The URL contains only the current one. */
export const useLastSelection = persistentState<{ readonly capability: Capability | null; readonly models: Models }>({
  capability: null,
  models: {},
});
/** The logged request that the chat was filled from last. */
export const useOpenedReplay = persistentState<OpenedReplay | null>(null);
