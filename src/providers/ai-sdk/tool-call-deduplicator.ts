import type { ChatAnswerWriter } from '../shared/chat-answer.ts';

/** In characters. Blanks may come without end. */
const MAX_HELD_LENGTH = 1_000;

interface Told {
  readonly number: number;
  /** Input that is not yet told: as long as it may be no more than `null`. */
  held: string;
  flowing: boolean;
}

/**
 * The tool calls of an answer. A package tells a call's input piece by piece, and then once more whole; or whole only. The
 * writer is told it once. Some models write `null` for no input: that is an empty object, as for no input at all.
 */
export class ToolCallDeduplicator {
  readonly #writer: ChatAnswerWriter;
  readonly #calls = new Map<string, Told>();

  constructor(writer: ChatAnswerWriter) {
    this.#writer = writer;
  }

  begin(id: string, name: string): void {
    if (!this.#calls.has(id))
      this.#calls.set(id, { number: this.#writer.toolCall(id, name), held: '', flowing: false });
  }

  input(id: string, piece: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.held += piece;
    if (call.flowing || call.held.length > MAX_HELD_LENGTH || !'null'.startsWith(call.held.trim())) this.#tell(call);
  }

  whole(id: string, name: string, input: string): void {
    this.begin(id, name);
    const call = this.#calls.get(id);
    if (call === undefined || call.flowing) return;
    call.held = isNothing(input) ? '' : input;
    this.#tell(call);
  }

  /** What came in pieces, and never whole. */
  end(): void {
    for (const call of this.#calls.values()) if (!call.flowing && !isNothing(call.held)) this.#tell(call);
  }

  #tell(call: Told): void {
    if (call.held === '') return;
    call.flowing = true;
    this.#writer.toolArguments(call.number, call.held);
    call.held = '';
  }
}

function isNothing(input: string): boolean {
  const said = input.trim();
  return said === '' || said === 'null';
}
