import { SluiceError } from '../../../errors/index.ts';
import type {
  AssistantMessage,
  ChatMessage,
  GenerationRequest,
  TextPart,
  UserPart,
} from '../../canonical/generation-request.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import { preservedReasoning, type PreservedReasoning } from '../reasoning-items.ts';

export interface Input {
  readonly items: readonly JsonObject[];
  /** Paths of message members that items do not have. */
  readonly unsupported: readonly string[];
  /** Whether messages had author names, which items do not have. */
  readonly named: boolean;
}

/**
 * Encodes messages as input items.
 * @throws SluiceError unsupported_value for a part that no item can contain: omitting it would change the request
 * Source: OpenAI's API document, InputItem.
 */
export function inputItems(request: GenerationRequest): Input {
  const conversation = new Conversation(request.store === true);
  for (const [index, message] of request.messages.entries()) conversation.add(message, `messages[${index}]`);
  return conversation;
}

class Conversation implements Input {
  readonly items: JsonObject[] = [];
  readonly unsupported: string[] = [];
  named = false;
  readonly #stored: boolean;
  readonly #customCalls = new Set<string>();
  /** Generated ids of deprecated function calls, which have none, by function name. */
  readonly #olderCalls = new Map<string, string>();

  constructor(stored: boolean) {
    this.#stored = stored;
  }

  add(message: ChatMessage, path: string): void {
    if (message.role !== 'function' && 'name' in message && message.name) this.named = true;
    switch (message.role) {
      case 'developer':
      case 'system':
        this.items.push({ type: 'message', role: message.role, content: textContent(message.content) });
        break;
      case 'user':
        this.items.push({ type: 'message', role: 'user', content: userContent(message.content, path) });
        break;
      case 'assistant':
        this.#addAnswer(message, path);
        break;
      case 'tool': {
        const { tool_call_id: callId } = message;
        const type = this.#customCalls.has(callId) ? 'custom_tool_call_output' : 'function_call_output';
        this.items.push({ type, call_id: callId, output: textContent(message.content) });
        break;
      }
      case 'function':
        this.items.push({
          type: 'function_call_output',
          call_id: this.#olderCalls.get(message.name) ?? message.name,
          output: message.content ?? '',
        });
        break;
    }
  }

  /** Reasoning precedes its output: the API rejects reasoning without any. */
  #addAnswer(message: AssistantMessage, path: string): void {
    const reasoning = preservedReasoning(message.reasoning_details, this.#stored);
    const content = answerContent(message);
    const calls = this.#calls(message, path);
    const known = new Set(calls.map(({ id }) => id));
    const before = Map.groupBy(reasoning, placeAmong(calls, reasoning));
    if (content.length > 0 || calls.length > 0) for (const { item } of before.get(null) ?? []) this.items.push(item);
    if (content.length > 0) this.items.push({ type: 'message', role: 'assistant', content });
    for (const { id, item } of calls) {
      if (known.delete(id)) for (const thought of before.get(id) ?? []) this.items.push(thought.item);
      this.items.push(item);
    }
    if (message.audio) this.unsupported.push(`${path}.audio`);
  }

  #calls(message: AssistantMessage, path: string): { readonly id: string; readonly item: JsonObject }[] {
    const calls = (message.tool_calls ?? []).map((call) => {
      if (call.type === 'function') return { id: call.id, item: functionCall(call.id, call.function) };
      this.#customCalls.add(call.id);
      const { name, input } = call.custom;
      return { id: call.id, item: { type: 'custom_tool_call', call_id: call.id, name, input } };
    });
    const older = message.function_call;
    if (older) {
      const id = `call_${path.replace(/\W+/g, '_')}${older.name}`;
      this.#olderCalls.set(older.name, id);
      calls.push({ id, item: functionCall(id, older) });
    }
    return calls;
  }
}

/**
 * The id of the call before which reasoning stands; null before everything. That of a call which the client removed has no
 * place. If no call has an id that reasoning names, the client has given them others, as Gemini CLI does when it asks for
 * a summary: then all of it stands before the first call.
 */
function placeAmong(
  calls: readonly { readonly id: string }[],
  reasoning: readonly PreservedReasoning[],
): (of: PreservedReasoning) => string | null {
  const ids = new Set(calls.map(({ id }) => id));
  const named = new Set(reasoning.flatMap(({ callId }) => callId ?? []));
  const first = named.size <= calls.length && [...named].every((id) => !ids.has(id)) ? calls[0]?.id : undefined;
  return ({ callId }) => (callId === null ? null : (first ?? callId));
}

function functionCall(id: string, called: { readonly name: string; readonly arguments: string }): JsonObject {
  return { type: 'function_call', call_id: id, name: called.name, arguments: called.arguments };
}

function answerContent({ content, refusal }: AssistantMessage): JsonObject[] {
  const input = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const parts: JsonObject[] = input
    .map((part) => (part.type === 'text' ? { type: 'output_text', text: part.text } : refusalItem(part.refusal)))
    .filter(({ type, text }) => type !== 'output_text' || text !== '');
  if (refusal) parts.push(refusalItem(refusal));
  return parts;
}

function refusalItem(refusal: string): JsonObject {
  return { type: 'refusal', refusal };
}

function textContent(content: string | readonly TextPart[]): string | JsonObject[] {
  return typeof content === 'string' ? content : content.map(textItem);
}

function textItem(part: TextPart): JsonObject {
  return { type: 'input_text', text: part.text, ...breakpoint(part) };
}

function userContent(content: string | readonly UserPart[], path: string): string | JsonObject[] {
  if (typeof content === 'string') return content;
  return content.map((part, index) => userItem(part, `${path}.content[${index}]`));
}

function userItem(part: UserPart, path: string): JsonObject {
  switch (part.type) {
    case 'text':
      return textItem(part);
    case 'image_url': {
      const { url, detail } = part.image_url;
      // Required in an item; `auto` is the default of chat.
      return { type: 'input_image', image_url: url, detail: detail ?? 'auto', ...breakpoint(part) };
    }
    case 'file': {
      const { file_data: data, file_id: id, filename } = part.file;
      return {
        type: 'input_file',
        ...(id && { file_id: id }),
        ...(filename && { filename }),
        ...(data && (isWebUrl(data) ? { file_url: data } : { file_data: data })),
        ...breakpoint(part),
      };
    }
    case 'input_audio':
      throw new SluiceError('unsupported_value', {
        param: `${path}.type`,
        values: { reason: 'input_audio is not supported by the Responses API, which serves this model.' },
      });
  }
}

function isWebUrl(data: string): boolean {
  return /^https?:/i.test(data);
}

function breakpoint(part: UserPart): JsonObject {
  const mark = part.prompt_cache_breakpoint;
  return mark === undefined || mark === null ? {} : { prompt_cache_breakpoint: mark };
}
