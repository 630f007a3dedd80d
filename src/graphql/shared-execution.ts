import type { ExecutionResult } from 'graphql';

/** What is kept for those who come to an event later: of all ways to ask together. */
const MAX_EVENTS = 8_192;
const MAX_CHARACTERS = 16 * 1024 * 1024;

type Payload = string | Promise<string>;

/** All who asked for the same in the same words, and may see the same. */
export interface Audience {
  /** The event's answer as JSON: made once, however many are told. */
  payload(event: unknown, execute: () => ExecutionResult | Promise<ExecutionResult>): Payload;
  leave(): void;
}

/**
 * Executes what subscriptions select of an event once for all that are alike. Events are told apart by their identity: a source
 * that gives each of its readers another object shares nothing, and is right.
 */
export class SharedExecution {
  readonly #groups = new Map<string, Group>();
  readonly #kept = new KeptPayloads();
  readonly #finish: (result: ExecutionResult) => ExecutionResult;

  /** @param finish what becomes of each result before it is written */
  constructor(finish: (result: ExecutionResult) => ExecutionResult) {
    this.#finish = finish;
  }

  /** How many ways to ask there are now. */
  get size(): number {
    return this.#groups.size;
  }

  /** @param alike what those have in common whose answers are the same: the document, its variables, and what they may */
  join(alike: string): Audience {
    let group = this.#groups.get(alike);
    if (group === undefined) {
      group = new Group(this.#finish, this.#kept);
      this.#groups.set(alike, group);
    }
    const joined = group;
    joined.members++;
    let isIn = true;
    return {
      payload: (event, execute) => joined.payload(event, execute),
      leave: () => {
        if (!isIn) return;
        isIn = false;
        if (--joined.members === 0) this.#groups.delete(alike);
        if (joined.members === 1) joined.forget();
      },
    };
  }
}

class Group {
  members = 0;
  readonly #made = new Map<unknown, Kept>();
  readonly #finish: (result: ExecutionResult) => ExecutionResult;
  readonly #kept: KeptPayloads;

  constructor(finish: (result: ExecutionResult) => ExecutionResult, kept: KeptPayloads) {
    this.#finish = finish;
    this.#kept = kept;
  }

  payload(event: unknown, execute: () => ExecutionResult | Promise<ExecutionResult>): Payload {
    const made = this.#made.get(event);
    if (made !== undefined) return made.payload;
    const result = execute();
    const payload = result instanceof Promise ? result.then((each) => this.#written(each)) : this.#written(result);
    // With one member nobody else comes to it; a second who comes later makes its own.
    if (this.members > 1) this.#keep(event, payload);
    return payload;
  }

  /** Of all events. */
  forget(): void {
    for (const kept of this.#made.values()) this.#kept.drop(kept);
    this.#made.clear();
  }

  #written(result: ExecutionResult): string {
    return JSON.stringify(this.#finish(result));
  }

  #keep(event: unknown, payload: Payload): void {
    const kept: Kept = { payload, characters: 0, forget: () => this.#made.delete(event) };
    this.#made.set(event, kept);
    this.#kept.add(kept);
    if (typeof payload === 'string') this.#kept.made(kept, payload);
    // One that fails is told by whoever waits for it.
    else
      payload.then(
        (text) => this.#kept.made(kept, text),
        () => undefined,
      );
  }
}

interface Kept {
  payload: Payload;
  characters: number;
  /** Null once it is dropped. */
  forget: (() => void) | null;
}

/** Payloads of all groups, the oldest first, within one bound. */
class KeptPayloads {
  #oldestFirst: (Kept | undefined)[] = [];
  #head = 0;
  #characters = 0;

  add(kept: Kept): void {
    this.#oldestFirst.push(kept);
    this.#bound();
  }

  /** What was waited for, or is there at once. */
  made(kept: Kept, payload: string): void {
    if (kept.forget === null) return;
    kept.payload = payload;
    kept.characters = payload.length;
    this.#characters += payload.length;
    this.#bound();
  }

  drop(kept: Kept): void {
    if (kept.forget === null) return;
    kept.forget = null;
    // Its place is given back later.
    kept.payload = '';
    this.#characters -= kept.characters;
  }

  #bound(): void {
    while (this.#oldestFirst.length - this.#head > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      const oldest = this.#oldestFirst[this.#head];
      this.#oldestFirst[this.#head++] = undefined;
      if (oldest === undefined) break;
      oldest.forget?.();
      this.drop(oldest);
    }
    // Places are given back in one go: a shift for each would move them all each time.
    if (this.#head > 64 && this.#head * 2 > this.#oldestFirst.length) {
      this.#oldestFirst.splice(0, this.#head);
      this.#head = 0;
    }
  }
}
