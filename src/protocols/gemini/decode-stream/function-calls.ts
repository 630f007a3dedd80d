import type { StreamPartWriter } from '../../canonical/stream-part-writer.ts';
import { PartialArguments } from './partial-arguments.ts';
import { callSignature, extraContent } from '../signatures.ts';
import { objectOf, textOf, type JsonObject } from '../../canonical/json-members.ts';

/**
 * Decodes a candidate's function calls. A call arrives complete; or, where the provider streams arguments, as its name,
 * its arguments in pieces, and an empty part at the end. Source: ai.google.dev/api/caching, FunctionCall.
 */
export class FunctionCalls {
  readonly #writer: StreamPartWriter;
  readonly #choice: number;
  readonly #ids = new Set<string>();
  #open: { readonly id: string; readonly call: number; readonly pieces: PartialArguments } | null = null;

  constructor(writer: StreamPartWriter, choice: number) {
    this.#writer = writer;
    this.#choice = choice;
  }

  /** The number of calls started. */
  get count(): number {
    return this.#ids.size;
  }

  add(call: JsonObject, signature: string | null): void {
    const name = textOf(call.name);
    const starts = name !== null && name !== '';
    if (starts) this.end();
    const id = starts ? this.#freshId(textOf(call.id)) : this.#open?.id;
    // Before the call: clients receive it as a block of its own, which must not divide the call from its arguments.
    if (id !== undefined && signature !== null)
      this.#writer.reasoningDetail(callSignature(id, signature), this.#choice);
    if (starts && id !== undefined) this.#start(name, id, signature);
    const continues = this.#open?.pieces.add(call.partialArgs) === true;
    if (!continues && call.willContinue !== true) this.end(objectOf(call.args));
  }

  /** @param args of the call, if they arrived complete */
  end(args: JsonObject | null = null): void {
    if (this.#open === null) return;
    const { call, pieces } = this.#open;
    this.#open = null;
    this.#writer.toolArguments(call, args === null ? pieces.json() : JSON.stringify(args), this.#choice);
  }

  #start(name: string, id: string, signature: string | null): void {
    this.#ids.add(id);
    const extra = signature === null ? undefined : extraContent(signature);
    this.#open = { id, call: this.#writer.toolCall(id, name, this.#choice, extra), pieces: new PartialArguments() };
  }

  /** Google's own id, unless it has none or an earlier call has the same: results are matched by id. */
  #freshId(id: string | null): string {
    return id !== null && id !== '' && !this.#ids.has(id) ? id : `call_${crypto.randomUUID().replaceAll('-', '')}`;
  }
}
