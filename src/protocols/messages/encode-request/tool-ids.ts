/**
 * Ids of tool calls as Anthropic takes them: letters, digits, `_` and `-`. A conversation that another provider began may have
 * others; each is given one of its own, the same for the call and its result.
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
    // Counted on, not from the start: ids that are alike in their first characters may be many.
    for (let next = this.#next.get(plain) ?? 2; this.#used.has(own); next++) {
      own = `${plain}_${next}`;
      this.#next.set(plain, next + 1);
    }
    this.#used.add(own);
    this.#assigned.set(id, own);
    return own;
  }
}

/** The older calls of functions have no ids: a result answers the last call by its name that has none yet. */
export class FunctionCalls {
  /** The ids of those without a result, by their names. */
  readonly #open = new Map<string, string[]>();
  #count = 0;

  open(name: string): string {
    const id = `function_call_${++this.#count}`;
    const open = this.#open.get(name);
    if (open) open.push(id);
    else this.#open.set(name, [id]);
    return id;
  }

  /** Undefined where none is open. */
  answered(name: string): string | undefined {
    return this.#open.get(name)?.pop();
  }
}
