import type { CompletionUpdate } from '../../../../live/events.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';

/** Converts a part of a stream to an update for live subscribers; null for a part without output. */
export function partUpdate(part: StreamPart): CompletionUpdate | null {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? null : { type: 'delta', choice: part.choice, text: part.text };
    case 'reasoning':
      return part.text === '' ? null : { type: 'reasoning', choice: part.choice, text: part.text };
    case 'tool-call': {
      const { choice, call: index, id, name } = part;
      return { type: 'toolCall', choice, index, id: id || null, name: name || null, arguments: '' };
    }
    case 'tool-input': {
      const { choice, call: index, text } = part;
      return { type: 'toolCall', choice, index, id: null, name: null, arguments: text };
    }
    default:
      return null;
  }
}
