import { countEvents } from '../../../../protocols/chat-completions/event-text.ts';

/** The output of a block and its number of events. */
export interface ShownEvents {
  readonly bytes: Buffer;
  readonly events: number;
}

/**
 * The output of a block. Written in place where it fits, because memory outside the heap is expensive to allocate and
 * free.
 */
export function inPlace(block: Buffer, text: string, shown: string): ShownEvents {
  const events = countEvents(shown);
  if (shown === text) return { bytes: block, events };
  if (shown.length > block.length) return { bytes: Buffer.from(shown, 'latin1'), events };
  return { bytes: block.subarray(0, block.write(shown, 'latin1')), events };
}
