import type { Draft } from './draft.ts';

/** The props of each capability's panel. */
export interface PanelProps {
  readonly draft: Draft;
  /** Null while no model is selected. */
  readonly model: string | null;
  readonly change: (next: Partial<Draft>) => void;
  /** Adds the sent draft to the history. */
  readonly onSent: () => void;
  /** False while another capability is shown. Running requests continue and results remain. */
  readonly isShown: boolean;
}
