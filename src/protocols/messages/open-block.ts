import type { JsonObject } from '../canonical/json-members.ts';
import type { BlockPosition } from './preserved-blocks.ts';
import type { CitedSource } from './citations.ts';

/** Open blocks need many times the memory of their events; Anthropic opens one at a time. */
export const MAX_OPEN_BLOCKS = 1_000;

/**
 * A block of the response that has not ended. `other`: one without a counterpart in OpenAI's response, such as those of
 * Anthropic's built-in tools.
 */
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
