import type { SluiceError } from '../../../errors/index.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Receives one event: its type and members. */
export type EmitEvent = (type: string, members: JsonObject) => void;

/** Names the items of one response. @param prefix `msg`, `fc`, `rs` … */
export type NameItem = (prefix: string, index: number) => string;

/** The output of a response while it is encoded. */
export interface ResponseOutput {
  add(part: StreamPart): void;
  /** Completes all items. @param status of the items */
  finish(status: 'completed' | 'incomplete'): void;
  /** The current items. */
  items(status: ItemStatus): JsonObject[];
  /** Why the complete output is none; null if it is one. */
  readonly failure: SluiceError | null;
}
