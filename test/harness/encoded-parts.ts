import type { StreamPart } from '../../src/protocols/canonical/stream-part.ts';
import { ChatCompletionsStreamEncoder, DONE_EVENT } from '../../src/protocols/chat-completions/encode-stream.ts';
import { usageObject } from '../../src/protocols/canonical/usage.ts';

/** The parts of a stream as OpenAI's events, usage and errors included. */
export function encodedParts(parts: readonly StreamPart[] | null): string {
  const encoder = new ChatCompletionsStreamEncoder(true);
  let events = '';
  for (const part of parts ?? []) {
    events += encoder.encode(part);
    if (part.type === 'usage') events += encoder.usageEvent(usageObject(part.usage));
    else if (part.type === 'error') events += `data: ${JSON.stringify({ error: part.error })}\n\n`;
    else if (part.type === 'end') events += DONE_EVENT;
  }
  return events;
}
