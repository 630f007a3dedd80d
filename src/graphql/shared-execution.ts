import type { ExecutionResult } from 'graphql';

/** What is kept for those who come to an event later: of one way to ask. */
const MOST_EVENTS = 2_048;
const MOST_CHARACTERS = 4 * 1024 * 1024;

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
      group = new Group(this.#finish);
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
      },
    };
  }
}

class Group {
  members = 0;
  /** The oldest first. */
  readonly #made = new Map<unknown, Payload>();
  readonly #finish: (result: ExecutionResult) => ExecutionResult;
  #characters = 0;

  constructor(finish: (result: ExecutionResult) => ExecutionResult) {
    this.#finish = finish;
  }

  payload(event: unknown, execute: () => ExecutionResult | Promise<ExecutionResult>): Payload {
    const made = this.#made.get(event);
    if (made !== undefined) return made;
    const result = execute();
    const payload =
      result instanceof Promise ? result.then((each) => this.#keep(event, this.#written(each))) : this.#written(result);
    if (typeof payload === 'string') return this.#keep(event, payload);
    this.#made.set(event, payload);
    return payload;
  }

  #written(result: ExecutionResult): string {
    return JSON.stringify(this.#finish(result));
  }

  #keep(event: unknown, payload: string): string {
    this.#made.delete(event);
    this.#made.set(event, payload);
    this.#characters += payload.length;
    for (const [oldest, made] of this.#made) {
      if (this.#made.size <= MOST_EVENTS && this.#characters <= MOST_CHARACTERS) break;
      this.#made.delete(oldest);
      if (typeof made === 'string') this.#characters -= made.length;
    }
    return payload;
  }
}
