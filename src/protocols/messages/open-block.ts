import type { JsonObject } from '../canonical/json-members.ts';
import type { BlockPosition } from './carried-blocks.ts';
import type { CitedSource } from './citations.ts';

/** Blocks that have not ended take many times the room of their events; Anthropic opens one at a time. */
export const MAX_OPEN_BLOCKS = 1_000;

/** A block of the answer under way. `other`: one that OpenAI's answer has no position for, such as those of Anthropic's own tools. */
export type OpenBlock =
  | { readonly type: 'text'; readonly start: number; readonly sources: CitedSource[] }
  | { readonly type: 'thinking'; readonly position: BlockPosition; text: string; signature: string }
  | { readonly type: 'call'; readonly call: number; readonly input: unknown; hasArguments: boolean }
  | {
      readonly type: 'other';
      readonly position: BlockPosition;
      readonly block: JsonObject;
      input: string;
      content: string;
    };
