import { isObject, membersOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';

type Members = Record<string, unknown>;

/** Texts of deltas, and the members of blocks that they continue. */
const texts = { text_delta: 'text', thinking_delta: 'thinking', signature_delta: 'signature' } as const;

/**
 * The message that a stream of Anthropic's Messages API delivers; null for a stream without one.
 * Source: https://docs.claude.com/en/docs/build-with-claude/streaming
 */
export function joinedMessage(events: readonly unknown[]): JsonObject | null {
  let message: Members | null = null;
  const blocks: Members[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    if (!isObject(event)) continue;
    const index = typeof event.index === 'number' ? event.index : 0;
    if (event.type === 'message_start') message = { ...membersOf(event.message) };
    else if (event.type === 'content_block_start') blocks[index] = { ...membersOf(event.content_block) };
    else if (event.type === 'content_block_delta')
      addDelta((blocks[index] ??= {}), membersOf(event.delta), (json) =>
        inputs.set(index, (inputs.get(index) ?? '') + json),
      );
    else if (event.type === 'message_delta' && message !== null) {
      Object.assign(message, membersOf(event.delta));
      message.usage = { ...membersOf(message.usage), ...membersOf(event.usage) };
    } else if (event.type === 'error') message = Object.assign(message ?? {}, { error: event.error });
  }
  if (message === null) return null;
  for (const [index, json] of inputs) (blocks[index] ??= {}).input = parsedInput(json);
  return { ...message, content: blocks.filter(isObject) };
}

function addDelta(block: Members, delta: JsonObject, onInput: (json: string) => void): void {
  const { type } = delta;
  if (type === 'input_json_delta') return onInput(String(delta.partial_json ?? ''));
  if (type === 'citations_delta') {
    block.citations = [...(Array.isArray(block.citations) ? (block.citations as unknown[]) : []), delta.citation];
    return;
  }
  const name = typeof type === 'string' && type in texts ? texts[type as keyof typeof texts] : null;
  if (name !== null) block[name] = String(block[name] ?? '') + String(delta[name] ?? '');
}

/** The text itself where the stream ended within it. */
function parsedInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
