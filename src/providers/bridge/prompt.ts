import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { AssistantMessage, GenerationRequest, TextPart } from '../../protocols/canonical/generation-request.ts';
import type { ChatDialect } from './chat-dialect.ts';
import { ownMark } from './prompt-caching.ts';
import { userPart } from './prompt-parts.ts';
import { recall } from './signed-reasoning.ts';

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/**
 * The messages as an AI SDK prompt. `hasTools` says whether the call has tools.
 * @throws SluiceError unsupported_value | invalid_value for content that the provider does not accept
 */
export function promptOf(
  provider: string,
  dialect: ChatDialect,
  { messages }: GenerationRequest,
  hasTools: boolean,
): LanguageModelV4Prompt {
  const conversation = new Conversation(dialect, dialect.requiresToolsForCalls && !hasTools);
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') {
      const parts = typeof message.content === 'string' ? [textPart(message.content)] : message.content;
      conversation.push({
        role: 'user',
        content: parts.map((part, at) => ({
          ...userPart(provider, dialect, part, `messages[${index}].content[${at}]`),
          ...ownMark(dialect.caching, [part]),
        })),
        ...ownMark(dialect.caching, [message]),
      });
    } else if (message.role === 'assistant') conversation.assistant(message);
    else if (message.role === 'tool') conversation.result(message.tool_call_id, textOf(message.content), message);
    else if (message.role === 'function') conversation.functionResult(message.name, message.content ?? '');
    else conversation.instructions(textOf(message.content), message);
  }
  return conversation.prompt;
}

class Conversation {
  readonly #dialect: ChatDialect;
  /** Whether calls and their results are sent as text. */
  readonly #asText: boolean;
  readonly #instructions: LanguageModelV4Message[] = [];
  readonly #turns: LanguageModelV4Message[] = [];
  /** Names of the called functions, by call id. */
  readonly #names = new Map<string, string>();
  /** The last call of each function. */
  readonly #lastCalls = new Map<string, string>();
  /** The results of one turn form one message. */
  #results: LanguageModelV4ToolResultPart[] | null = null;

  constructor(dialect: ChatDialect, asText: boolean) {
    this.#dialect = dialect;
    this.#asText = asText;
  }

  get prompt(): LanguageModelV4Prompt {
    return [...this.#instructions, ...this.#turns];
  }

  push(message: LanguageModelV4Message): void {
    this.#results = null;
    this.#turns.push(message);
  }

  instructions(content: string, message: CachedMessage): void {
    if (content === '') return;
    const system = { role: 'system' as const, content, ...this.#ownMark(message) };
    if (this.#dialect.supportsInterleavedInstructions) this.push(system);
    else this.#instructions.push(system);
  }

  assistant(message: AssistantMessage): void {
    const recalled = recall(this.#dialect.reasoning, message.reasoning_details);
    const content: AssistantContent = this.#asText ? [] : [...recalled.parts];
    const text = assistantText(message);
    if (text !== '') content.push({ type: 'text', text });
    for (const { id, name, json } of callsOf(message, this.#turns.length)) {
      this.#names.set(id, name);
      this.#lastCalls.set(name, id);
      const providerOptions = recalled.calls.get(id);
      if (this.#asText) content.push({ type: 'text', text: `[called ${name} with ${json}]` });
      else
        content.push({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: parsedInput(json),
          ...(providerOptions && { providerOptions }),
        });
    }
    if (content.length > 0) this.push({ role: 'assistant', content, ...this.#ownMark(message) });
  }

  result(toolCallId: string, value: string, message?: CachedMessage): void {
    const toolName = this.#names.get(toolCallId) ?? toolCallId;
    if (this.#asText) {
      this.push({ role: 'user', content: [textPart(`[${toolName} returned: ${value}]`)] });
      return;
    }
    if (this.#results === null) {
      const content: LanguageModelV4ToolResultPart[] = [];
      this.push({ role: 'tool', content });
      this.#results = content;
    }
    const mark = message === undefined ? {} : this.#ownMark(message);
    this.#results.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value }, ...mark });
  }

  /** A mark within a message is moved to its end: its parts become one. */
  #ownMark(message: CachedMessage): ReturnType<typeof ownMark> {
    const parts = Array.isArray(message.content) ? message.content : [];
    return ownMark(this.#dialect.caching, [message, ...parts]);
  }

  /** The deprecated format has no call id: it refers to the last call of that function. */
  functionResult(name: string, value: string): void {
    const id = this.#lastCalls.get(name);
    if (id === undefined) this.push({ role: 'user', content: [textPart(`[${name} returned: ${value}]`)] });
    else this.result(id, value);
  }
}

/** A message whose parts may end a cached prefix. */
interface CachedMessage {
  readonly content?: string | readonly object[] | null | undefined;
}

interface Called {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

function callsOf({ tool_calls: calls, function_call: older }: AssistantMessage, turn: number): Called[] {
  const called = (calls ?? []).map((call) =>
    call.type === 'function'
      ? { id: call.id, name: call.function.name, json: call.function.arguments }
      : { id: call.id, name: call.custom.name, json: JSON.stringify({ input: call.custom.input }) },
  );
  if (older) called.push({ id: `call_of_turn_${turn}`, name: older.name, json: older.arguments });
  return called;
}

/** Arguments that are not JSON are passed unchanged: the package or the provider handles them. */
function parsedInput(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function assistantText({ content, refusal }: AssistantMessage): string {
  const parts = typeof content === 'string' ? [textPart(content)] : (content ?? []);
  const text = parts.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('');
  return text === '' ? (refusal ?? '') : text;
}

function textOf(content: string | readonly TextPart[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

function textPart(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text };
}
