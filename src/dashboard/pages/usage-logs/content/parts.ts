import { isObject } from '../../../data/json.ts';

/** A piece of a message. */
export type Part =
  | { readonly kind: 'text' | 'reasoning' | 'media'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly id: string | null; readonly value: unknown }
  | { readonly kind: 'result'; readonly id: string | null; readonly parts: readonly Part[] }
  /** What has no form of its own is shown as JSON. */
  | { readonly kind: 'json'; readonly name: string; readonly value: unknown };

type Members = Readonly<Record<string, unknown>>;

/** The pieces of a message in any protocol. */
export function partsOf(content: unknown): readonly Part[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [textPart(content)];
  if (Array.isArray(content)) return content.flatMap(partsOf);
  return isObject(content) ? partsOfObject(content) : [{ kind: 'json', name: 'Value', value: content }];
}

/** JSON within a string, such as the arguments of a tool call; other text as it is. */
function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? parsed : value;
  } catch {
    return value;
  }
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function callPart(call: Members): Part {
  const { name, id, call_id: callId } = call;
  const value = parsedJson(call['arguments'] ?? call['input'] ?? call['args'] ?? null);
  return { kind: 'call', name: textOrNull(name) ?? 'Unknown tool', id: textOrNull(callId) ?? textOrNull(id), value };
}

export function resultPart(id: unknown, content: unknown): Part {
  const parsed = parsedJson(content);
  const isJson = typeof parsed === 'object' && parsed !== null && !isContent(parsed);
  return {
    kind: 'result',
    id: textOrNull(id),
    parts: isJson ? [{ kind: 'json', name: 'Result', value: parsed }] : partsOf(content),
  };
}

function partsOfObject(part: Members): readonly Part[] {
  const { type, text, thinking, refusal } = part;
  if (isObject(part['functionCall'])) return [callPart(part['functionCall'])];
  if (isObject(part['functionResponse'])) {
    const { id, name, response } = part['functionResponse'];
    return [resultPart(id ?? name, response)];
  }
  if (type === 'tool_use' || type === 'server_tool_use' || type === 'function_call') return [callPart(part)];
  if (type === 'tool_result') return [resultPart(part['tool_use_id'], part['content'])];
  if (type === 'function_call_output') return [resultPart(part['call_id'], part['output'])];
  if (type === 'reasoning') return reasoningParts(part);
  if (typeof thinking === 'string') return [{ kind: 'reasoning', text: thinking }];
  if (typeof text === 'string') return [part['thought'] === true ? { kind: 'reasoning', text } : textPart(text)];
  if (typeof refusal === 'string') return [textPart(refusal)];
  const media = mediaWithin(part, 0);
  return media === null ? [{ kind: 'json', name: textOrNull(type) ?? 'Part', value: part }] : [media];
}

/** Of an item of the Responses API. */
function reasoningParts(item: Members): readonly Part[] {
  const texts = [...listOf(item['summary']), ...listOf(item['content'])].flatMap((each) =>
    isObject(each) && typeof each['text'] === 'string' ? [each['text']] : [],
  );
  return texts.map((text) => ({ kind: 'reasoning', text }));
}

const MAX_MEDIA_DEPTH = 3;

/** The reference or the address of an image, a recording or a file. */
function mediaWithin(value: Members, depth: number): Part | null {
  for (const member of Object.values(value)) {
    if (typeof member === 'string' && /^(?:\[media:|https?:|file-)/.test(member))
      return { kind: 'media', text: member };
    const inner = isObject(member) && depth < MAX_MEDIA_DEPTH ? mediaWithin(member, depth + 1) : null;
    if (inner !== null) return inner;
  }
  return null;
}

function textPart(text: string): Part {
  return { kind: 'text', text };
}

/** Whether a value is a list of typed pieces, not data of a tool. */
function isContent(value: object): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && 'type' in each);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
