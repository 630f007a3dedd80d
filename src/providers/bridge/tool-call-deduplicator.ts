import type { StreamPartWriter } from '../../protocols/canonical/stream-part-writer.ts';

/** In characters. Blanks may come without end. */
const MAX_PENDING_LENGTH = 1_000;

interface CallState {
  readonly number: number;
  /** Input that is not yet told: as long as it may be no more than `null`. */
  pending: string;
  flowing: boolean;
}

/**
 * The tool calls of an answer. A package tells a call's input piece by piece, and then once more whole; or whole only. The
 * writer is told it once. Some models write `null` for no input: that is an empty object, as for no input at all.
 */
export class ToolCallDeduplicator {
  readonly #writer: StreamPartWriter;
  readonly #calls = new Map<string, CallState>();

  constructor(writer: StreamPartWriter) {
    this.#writer = writer;
  }

  begin(id: string, name: string): void {
    if (!this.#calls.has(id))
      this.#calls.set(id, { number: this.#writer.toolCall(id, name), pending: '', flowing: false });
  }

  input(id: string, piece: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.pending += piece;
    if (call.flowing || call.pending.length > MAX_PENDING_LENGTH || !'null'.startsWith(call.pending.trim()))
      this.#emit(call);
  }

  complete(id: string, name: string, input: string): void {
    this.begin(id, name);
    const call = this.#calls.get(id);
    if (call === undefined || call.flowing) return;
    call.pending = isEmptyInput(input) ? '' : input;
    this.#emit(call);
  }

  /** What came in pieces, and never whole. */
  end(): void {
    for (const call of this.#calls.values()) if (!call.flowing && !isEmptyInput(call.pending)) this.#emit(call);
  }

  #emit(call: CallState): void {
    if (call.pending === '') return;
    call.flowing = true;
    this.#writer.toolArguments(call.number, call.pending);
    call.pending = '';
  }
}

function isEmptyInput(input: string): boolean {
  const json = input.trim();
  return json === '' || json === 'null';
}
