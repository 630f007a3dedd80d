import type { ExecutionResult } from 'graphql';

/** Limits of the payload cache over all groups. */
const MAX_EVENTS = 8_192;
const MAX_CHARACTERS = 16 * 1024 * 1024;

type Payload = string | Promise<string>;

/** Subscribers with the same document, variables and permissions. */
export interface SubscriberGroup {
  /** The result of the event as JSON. Computed once for all subscribers. */
  payload(event: unknown, execute: () => ExecutionResult | Promise<ExecutionResult>): Payload;
  leave(): void;
}

/**
 * Executes the selection of a subscription once per event for all subscribers of a group. Events are compared by identity: a
 * source that creates an object per reader gets no sharing, but correct results.
 */
export class SharedExecution {
  readonly #groups = new Map<string, Group>();
  readonly #cache = new PayloadCache();
  readonly #finish: (result: ExecutionResult) => ExecutionResult;

  /** @param finish transforms each result before serialization */
  constructor(finish: (result: ExecutionResult) => ExecutionResult) {
    this.#finish = finish;
  }

  /** Number of groups. */
  get size(): number {
    return this.#groups.size;
  }

  /** @param groupKey identifies subscribers with equal results: by document, variables and permissions */
  join(groupKey: string): SubscriberGroup {
    let group = this.#groups.get(groupKey);
    if (group === undefined) {
      group = new Group(this.#finish, this.#cache);
      this.#groups.set(groupKey, group);
    }
    const joined = group;
    joined.members++;
    let isMember = true;
    return {
      payload: (event, execute) => joined.payload(event, execute),
      leave: () => {
        if (!isMember) return;
        isMember = false;
        if (--joined.members === 0) this.#groups.delete(groupKey);
        if (joined.members === 1) joined.forget();
      },
    };
  }
}

class Group {
  members = 0;
  readonly #payloads = new Map<unknown, CachedPayload>();
  readonly #finish: (result: ExecutionResult) => ExecutionResult;
  readonly #kept: PayloadCache;

  constructor(finish: (result: ExecutionResult) => ExecutionResult, kept: PayloadCache) {
    this.#finish = finish;
    this.#kept = kept;
  }

  payload(event: unknown, execute: () => ExecutionResult | Promise<ExecutionResult>): Payload {
    const resolve = this.#payloads.get(event);
    if (resolve !== undefined) return resolve.payload;
    const result = execute();
    const payload = result instanceof Promise ? result.then((each) => this.#serialize(each)) : this.#serialize(result);
    // With a single member there is nobody to share with; a later member executes again.
    if (this.members > 1) this.#store(event, payload);
    return payload;
  }

  /** Drops all cached payloads. */
  forget(): void {
    for (const kept of this.#payloads.values()) this.#kept.drop(kept);
    this.#payloads.clear();
  }

  #serialize(result: ExecutionResult): string {
    return JSON.stringify(this.#finish(result));
  }

  #store(event: unknown, payload: Payload): void {
    const kept: CachedPayload = { payload, characters: 0, forget: () => this.#payloads.delete(event) };
    this.#payloads.set(event, kept);
    this.#kept.add(kept);
    if (typeof payload === 'string') this.#kept.made(kept, payload);
    // A rejection is handled by the subscribers that await it.
    else
      payload.then(
        (text) => this.#kept.made(kept, text),
        () => undefined,
      );
  }
}

interface CachedPayload {
  payload: Payload;
  characters: number;
  /** Null when dropped. */
  forget: (() => void) | null;
}

/** Cached payloads of all groups. Evicts the oldest first. */
class PayloadCache {
  #oldestFirst: (CachedPayload | undefined)[] = [];
  #head = 0;
  #characters = 0;

  add(kept: CachedPayload): void {
    this.#oldestFirst.push(kept);
    this.#evict();
  }

  /** Sets the resolved payload. */
  made(kept: CachedPayload, payload: string): void {
    if (kept.forget === null) return;
    kept.payload = payload;
    kept.characters = payload.length;
    this.#characters += payload.length;
    this.#evict();
  }

  drop(kept: CachedPayload): void {
    if (kept.forget === null) return;
    kept.forget = null;
    // Its slot in the array is released later.
    kept.payload = '';
    this.#characters -= kept.characters;
  }

  #evict(): void {
    while (this.#oldestFirst.length - this.#head > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      const oldest = this.#oldestFirst[this.#head];
      this.#oldestFirst[this.#head++] = undefined;
      if (oldest === undefined) break;
      oldest.forget?.();
      this.drop(oldest);
    }
    // Slots are released in bulk: a shift per payload would move the complete array every time.
    if (this.#head > 64 && this.#head * 2 > this.#oldestFirst.length) {
      this.#oldestFirst.splice(0, this.#head);
      this.#head = 0;
    }
  }
}
