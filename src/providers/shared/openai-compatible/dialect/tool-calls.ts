import { isObject } from '../../../../protocols/canonical/json-members.ts';

interface KnownCall {
  id: string;
  arguments: string;
}

/**
 * Converts the deltas of one choice's tool calls to OpenAI's format, by which clients join them: each has an `index`,
 * two calls never share one, the first delta has a `type`, and `arguments` are text that is sent once.
 */
export class ToolCallDeltas {
  readonly #calls = new Map<number, KnownCall>();
  /** The index of each call, by its id. */
  readonly #byId = new Map<string, number>();
  /** The index of the latest call under each of the provider's own indexes. */
  readonly #latest = new Map<number, number>();
  #next = 0;
  #last = 0;

  /** @returns the same array if nothing changes */
  convert(calls: readonly unknown[]): readonly unknown[] {
    let changed = false;
    const tidied = calls.map((call) => {
      const rewritten = isObject(call) ? this.#convertOne(call) : call;
      if (rewritten !== call) changed = true;
      return rewritten;
    });
    return changed ? tidied : calls;
  }

  #convertOne(call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const id = typeof call.id === 'string' ? call.id : '';
    const index = this.#indexOf(call.index, id);
    const existing = this.#calls.get(index);
    const known = existing ?? { id, arguments: '' };
    this.#calls.set(index, known);
    this.#next = Math.max(this.#next, index + 1);
    this.#last = index;
    if (known.id === '') known.id = id;
    if (!this.#byId.has(known.id)) this.#byId.set(known.id, index);
    const typed = existing ? call : withType(call);
    const indexed = typed.index === index ? typed : { ...typed, index };
    return this.#withArguments(indexed, known);
  }

  /** The provider's own index, unless another call has it: some providers use 0 for every call, or none. */
  #indexOf(reported: unknown, id: string): number {
    const providerIndex = typeof reported === 'number' && Number.isInteger(reported) && reported >= 0 ? reported : null;
    if (providerIndex === null) return id === '' ? this.#last : (this.#byId.get(id) ?? this.#next);
    const usual = this.#latest.get(providerIndex) ?? providerIndex;
    const owner = this.#calls.get(usual)?.id ?? '';
    const index = id === '' || owner === '' || owner === id ? usual : (this.#byId.get(id) ?? this.#next);
    this.#latest.set(providerIndex, index);
    return index;
  }

  #withArguments(call: Readonly<Record<string, unknown>>, known: KnownCall): Readonly<Record<string, unknown>> {
    if (!isObject(call.function)) return call;
    const sent = call.function.arguments;
    if (sent === undefined || sent === null) return call;
    const piece = typeof sent === 'string' ? sent : JSON.stringify(sent);
    const delta = piece !== '' && piece === known.arguments && isCompleteJson(piece) ? '' : piece;
    known.arguments += delta;
    return delta === sent ? call : { ...call, function: { ...call.function, arguments: delta } };
  }
}

/** The same for the calls of a complete response. */
export function convertToolCalls(calls: readonly unknown[]): readonly unknown[] {
  return calls.map((call) => {
    if (!isObject(call) || !isObject(call.function)) return call;
    const typed = withType(call);
    const sent = call.function.arguments;
    if (typeof sent === 'string') return typed;
    return { ...typed, function: { ...call.function, arguments: JSON.stringify(sent ?? {}) } };
  });
}

function withType(call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof call.type === 'string' || !isObject(call.function) ? call : { ...call, type: 'function' };
}

/** Nothing can follow a complete object: a delta with the same text repeats it. */
function isCompleteJson(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}
