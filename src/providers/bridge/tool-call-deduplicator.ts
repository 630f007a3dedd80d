import type { StreamPartWriter } from '../../protocols/canonical/stream-part-writer.ts';

/** In characters. White space may continue without end. */
const MAX_PENDING_LENGTH = 1_000;

interface CallState {
  readonly number: number;
  /** Input that is not written yet, while it may still be `null`. */
  pending: string;
  flowing: boolean;
}

/**
 * The tool calls of a response. A package emits a call's input in deltas and then once more completely, or only
 * completely. The writer gets it once. Some models write `null` for no input: it becomes an empty object, like absent
 * input.
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

  /** Calls that were streamed in deltas and never completed. */
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
