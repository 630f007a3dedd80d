/**
 * Ids of tool calls. Anthropic allows letters, digits, `_` and `-`. Other ids, from a conversation with another provider,
 * are replaced by unique ones, the same for a call and its result.
 */
export class ToolIds {
  readonly #assigned = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #next = new Map<string, number>();

  of(id: string): string {
    const known = this.#assigned.get(id);
    if (known !== undefined) return known;
    const plain = /^[a-zA-Z0-9_-]+$/.test(id) ? id : `call_${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)}`;
    let own = plain;
    // Continues the last count: many ids may have the same first characters.
    for (let next = this.#next.get(plain) ?? 2; this.#used.has(own); next++) {
      own = `${plain}_${next}`;
      this.#next.set(plain, next + 1);
    }
    this.#used.add(own);
    this.#assigned.set(id, own);
    return own;
  }
}

/** Deprecated function calls have no ids: a result belongs to the last call of that name without one. */
export class FunctionCalls {
  /** Ids of calls without a result, by function name. */
  readonly #open = new Map<string, string[]>();
  #count = 0;

  open(name: string): string {
    const id = `function_call_${++this.#count}`;
    const open = this.#open.get(name);
    if (open) open.push(id);
    else this.#open.set(name, [id]);
    return id;
  }

  /** Undefined if there is no such call. */
  answered(name: string): string | undefined {
    return this.#open.get(name)?.pop();
  }
}
