import type { Draft } from './draft.ts';

/** What each capability's part of the page is given. */
export interface PanelProps {
  readonly draft: Draft;
  /** Null while none is chosen. */
  readonly model: string | null;
  readonly change: (next: Partial<Draft>) => void;
  /** It was sent: it comes into the history. */
  readonly onSent: () => void;
  /** False while another capability is looked at: what runs goes on, what was answered stays. */
  readonly isShown: boolean;
}
