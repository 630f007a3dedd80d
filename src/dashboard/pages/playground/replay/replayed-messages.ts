import { isObject } from '../../../data/json.ts';
import { emptyCompletion, type Completion, type ToolCall } from '../chat/completion.ts';
import type { Turn } from '../chat/conversation.ts';

type Members = Readonly<Record<string, unknown>>;

/** A conversation as the playground shows it. */
export interface ReplayedConversation {
  readonly system: string;
  readonly turns: readonly Turn[];
  /** The last message, which is sent again. */
  readonly prompt: string;
  /** Of the last message. */
  readonly images: readonly string[];
  /** Paths of what the playground cannot show. */
  readonly lacking: readonly string[];
}

/** A turn while its messages are read. */
interface OpenTurn {
  readonly text: string;
  readonly images: readonly string[];
  answer: string | null;
  calls: ToolCall[];
  results: Record<string, string>;
}

/** Reads messages of a chat completion, in one pass. */
export function conversationOf(messages: readonly unknown[]): ReplayedConversation {
  const reading = new ConversationReader();
  for (const [at, message] of messages.entries()) if (isObject(message)) reading.add(message, `messages[${at}]`);
  return reading.conversation;
}

class ConversationReader {
  readonly #system: string[] = [];
  readonly #turns: OpenTurn[] = [];
  readonly #turnsByCall = new Map<string, OpenTurn>();
  readonly #lacking: string[] = [];
  #lastRole: unknown = null;

  add(message: Members, path: string): void {
    const { role, name } = message;
    if (name !== undefined && name !== null && role !== 'tool') this.#lacking.push(`${path}.name`);
    if (role === 'system' || role === 'developer') {
      if (this.#turns.length > 0) this.#lacking.push(`${path} (moved to the system prompt)`);
      this.#system.push(this.#textOf(message.content, `${path}.content`));
      return;
    }
    if (role === 'user') this.#addUser(message.content, `${path}.content`);
    else if (role === 'assistant') this.#addAssistant(message, path);
    else if (role === 'tool') this.#addResult(message, path);
    else this.#lacking.push(path);
    this.#lastRole = role;
  }

  get conversation(): ReplayedConversation {
    const open = [...this.#turns];
    const last = this.#lastRole === 'user' ? open.pop() : undefined;
    const turns = open.map((turn, at) => closed(turn, at, this.#lastRole === 'tool' && at === open.length - 1));
    return {
      system: this.#system.join('\n\n'),
      turns,
      prompt: last?.text ?? '',
      images: last?.images ?? [],
      lacking: this.#lacking,
    };
  }

  #addUser(content: unknown, path: string): void {
    const images: string[] = [];
    const text = this.#textOf(content, path, images);
    this.#turns.push({ text, images, answer: null, calls: [], results: {} });
  }

  #addAssistant(message: Members, path: string): void {
    const turn = this.#unanswered();
    const refusal = typeof message.refusal === 'string' ? message.refusal : '';
    turn.answer = this.#textOf(message.content, `${path}.content`) || refusal;
    for (const name of ['audio', 'function_call']) if (isObject(message[name])) this.#lacking.push(`${path}.${name}`);
    for (const [index, call] of listOf(message.tool_calls).entries()) {
      const called = isObject(call) && isObject(call.function) && typeof call.id === 'string' ? call.function : null;
      if (called === null || !isObject(call)) {
        this.#lacking.push(`${path}.tool_calls[${index}]`);
        continue;
      }
      const id = String(call.id);
      turn.calls.push({ index, id, name: textOf(called.name), arguments: textOf(called.arguments) });
      this.#turnsByCall.set(id, turn);
    }
  }

  #addResult(message: Members, path: string): void {
    const id = textOf(message.tool_call_id);
    const turn = this.#turnsByCall.get(id);
    if (turn === undefined) this.#lacking.push(path);
    else turn.results[id] = this.#textOf(message.content, `${path}.content`);
  }

  /** The last turn, or one without a message of the user. */
  #unanswered(): OpenTurn {
    const last = this.#turns.at(-1);
    if (last !== undefined && last.answer === null) return last;
    const turn: OpenTurn = { text: '', images: [], answer: null, calls: [], results: {} };
    this.#turns.push(turn);
    return turn;
  }

  /** @param images receives images; lacking if absent */
  #textOf(content: unknown, path: string, images: string[] | null = null): string {
    if (typeof content === 'string') return content;
    const texts: string[] = [];
    for (const [at, part] of listOf(content).entries()) {
      if (!isObject(part)) continue;
      const url = isObject(part.image_url) ? part.image_url.url : null;
      if (part.type === 'text') texts.push(textOf(part.text));
      else if (part.type === 'refusal') texts.push(textOf(part.refusal));
      else if (typeof url === 'string' && images !== null) images.push(url);
      else this.#lacking.push(`${path}[${at}]`);
    }
    return texts.join('\n\n');
  }
}

/** @param isLast whether its results are sent next: they can be edited before */
function closed({ text, images, answer, calls, results }: OpenTurn, at: number, isLast: boolean): Turn {
  const completion: Completion = { ...emptyCompletion, text: answer ?? '', toolCalls: calls, state: 'finished' };
  const turn = { id: `replay-${at}`, text, images, completion };
  return isLast ? { ...turn, results: {}, enteredResults: results } : { ...turn, results };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
