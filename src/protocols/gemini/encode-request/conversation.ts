import { SluiceError } from '../../../errors/index.ts';
import type {
  AssistantMessage,
  ChatMessage,
  TextPart,
  ToolMessage,
  UserMessage,
} from '../../canonical/generation-request.ts';
import { modelParts } from './model-message.ts';
import { mediaPart } from './media-part.ts';
import type { ModelTraits } from '../model-traits.ts';

/** Source: ai.google.dev/api/caching, Content. */
interface Content {
  readonly role: 'user' | 'model';
  readonly parts: unknown[];
}

type FunctionMessage = Extract<ChatMessage, { readonly role: 'function' }>;

interface Conversation {
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly contents: readonly Content[];
}

/**
 * Encodes messages as Google's contents. Instructions are moved to the system instruction.
 * @throws SluiceError invalid_value | unsupported_value
 */
export function conversationOf(messages: readonly ChatMessage[], traits: ModelTraits): Conversation {
  const instructions: { text: string }[] = [];
  const turns = new Turns();
  const callNames = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    if (message.role === 'user') turns.add('user', 'said', userParts(message, param));
    else if (message.role === 'assistant')
      turns.add('model', 'said', assistantParts(message, param, traits, callNames));
    else if (message.role === 'tool') turns.add('user', 'results', [toolResult(message, param, callNames)]);
    else if (message.role === 'function') turns.add('user', 'results', [legacyResult(message)]);
    else instructions.push({ text: plainText(message.content) });
  }
  if (instructions.length === 0) return { contents: turns.contents };
  // Google requires a content.
  if (traits.instructedByUser || turns.contents.length === 0)
    return { contents: [{ role: 'user', parts: instructions }, ...turns.contents] };
  return { systemInstruction: { parts: instructions }, contents: turns.contents };
}

/**
 * Merges consecutive messages of one role. Function results are separate from other user content: Google requires as many
 * results as calls, and other content starts a new turn.
 */
class Turns {
  readonly contents: Content[] = [];
  #lastKind = '';

  add(role: Content['role'], kind: 'said' | 'results', parts: readonly unknown[]): void {
    if (parts.length === 0) return;
    const last = this.contents.at(-1);
    if (last?.role === role && this.#lastKind === kind) for (const part of parts) last.parts.push(part);
    else this.contents.push({ role, parts: [...parts] });
    this.#lastKind = kind;
  }
}

function userParts({ content }: UserMessage, param: string): unknown[] {
  if (typeof content === 'string') return [{ text: content }];
  return content.map((part, index) =>
    part.type === 'text' ? { text: part.text } : mediaPart(part, `${param}.content[${index}]`),
  );
}

function assistantParts(
  message: AssistantMessage,
  param: string,
  traits: ModelTraits,
  callNames: Map<string, string>,
): unknown[] {
  for (const call of message.tool_calls ?? []) if (call.type === 'function') callNames.set(call.id, call.function.name);
  return modelParts(message, param, traits);
}

function toolResult(message: ToolMessage, param: string, callNames: ReadonlyMap<string, string>): unknown {
  const name = callNames.get(message.tool_call_id);
  if (name === undefined)
    throw new SluiceError('invalid_value', {
      param: `${param}.tool_call_id`,
      values: { reason: 'no message before it calls a tool by this id.' },
    });
  return functionResponse(name, plainText(message.content), message.tool_call_id);
}

function legacyResult({ name, content }: FunctionMessage): unknown {
  return functionResponse(name, content ?? '');
}

/** Google requires an object. Other results become its member `result`. */
function functionResponse(name: string, result: string, id?: string): unknown {
  return { functionResponse: { ...(id !== undefined && { id }), name, response: objectOf(result) ?? { result } } };
}

function objectOf(result: string): object | null {
  // Google would read `$ref` as a reference to an image of the response.
  if (!result.trimStart().startsWith('{') || result.includes('"$ref"')) return null;
  try {
    const parsed: unknown = JSON.parse(result);
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    return null;
  }
}

function plainText(content: string | readonly TextPart[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}
