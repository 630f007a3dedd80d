import { isSecretValueOf } from './detectors/assignment.ts';
import { withMediaReferences } from './media-reference.ts';
import type { Member } from './member-names.ts';
import { count, replacementOf } from './replace.ts';
import type { RedactionCounts } from './rules.ts';
import { WINDOW_LENGTH } from './search-windows.ts';

/** Deeper values are replaced, because they were not looked at. */
const MAX_DEPTH = 512;
/** JSON in JSON in JSON: deeper texts are redacted as texts. */
const MAX_EMBEDDED = 4;
/** Integers below have fewer digits than a telephone number or a card. */
const MIN_SCANNED_INTEGER = 1e9;

const phoneText = /^\s*\+?[\d\s()./-]{7,25}\s*$/;

/** Redacts step by step, in turns of the event loop. Yields where a turn may end. */
export type Steps<T> = Generator<void, T>;

export interface Redaction {
  /** For texts of up to WINDOW_LENGTH. */
  readonly redact: (text: string, counts: RedactionCounts) => string;
  /** Yields how many code units it searched. */
  readonly redactLong: (text: string, counts: RedactionCounts) => Generator<number, string>;
  /** How many code units `redact` searches for each one of its text. */
  readonly searches: number;
  readonly memberNamed: (name: string) => Member;
}

interface Place {
  /** The name of the member; empty in an array and at the top. */
  name: string;
  readonly parent: object | null;
  readonly depth: number;
  readonly embedded: number;
}

/** Code units that are searched in one turn, summed over the searches. */
const TURN_LENGTH = 262_144;

/** Redacts one value after another into the same counts. */
export class DocumentRedaction {
  readonly #redaction: Redaction;
  readonly #counts: RedactionCounts;
  /** In this turn. */
  #searched = 0;

  constructor(redaction: Redaction, counts: RedactionCounts) {
    this.#redaction = redaction;
    this.#counts = counts;
  }

  /** A redacted copy of a JSON value, which shares what did not change. */
  redact(value: unknown): Steps<unknown> {
    return this.#value(value, { name: '', parent: null, depth: 0, embedded: 0 });
  }

  *#value(value: unknown, place: Place): Steps<unknown> {
    if (typeof value === 'string') return yield* this.#string(value, place);
    if (typeof value === 'number') return this.#number(value, place);
    if (typeof value !== 'object' || value === null) return value;
    if (place.depth >= MAX_DEPTH) {
      count(this.#counts, 'nesting');
      return replacementOf('nesting');
    }
    return yield* Array.isArray(value) ? this.#array(value, place) : this.#object(value, place);
  }

  *#array(values: readonly unknown[], { name, depth, embedded }: Place): Steps<readonly unknown[]> {
    // The elements of an array are values of its member.
    const inside = { name, parent: null, depth: depth + 1, embedded };
    let copy: unknown[] | null = null;
    for (let at = 0; at < values.length; at += 1) {
      const redacted = yield* this.#value(values[at], inside);
      if (redacted === values[at]) continue;
      copy ??= [...values];
      copy[at] = redacted;
    }
    return copy ?? values;
  }

  *#object(object: object, { depth, embedded }: Place): Steps<object> {
    const inside = { name: '', parent: object, depth: depth + 1, embedded };
    let entries: [string, unknown][] | null = null;
    const names = Object.keys(object);
    for (const [at, name] of names.entries()) {
      const value: unknown = Reflect.get(object, name);
      inside.name = name;
      const redacted = yield* this.#value(value, inside);
      const redactedName = this.#redaction.memberNamed(name).isClean ? name : yield* this.#found(name);
      if (redacted === value && redactedName === name) continue;
      entries ??= Object.entries(object);
      entries[at] = [redactedName, redacted];
    }
    // `fromEntries` defines members, also one called `__proto__`.
    return entries === null ? object : Object.fromEntries(apart(entries));
  }

  #number(value: number, { name }: Place): unknown {
    const isScanned = Math.abs(value) >= MIN_SCANNED_INTEGER && Number.isInteger(value);
    if (!isScanned && !(name !== '' && this.#redaction.memberNamed(name).holdsSecret)) return value;
    const text = String(value);
    const redacted = this.#secret(text, name) ?? this.#redaction.redact(text, this.#counts);
    return redacted === text ? value : redacted;
  }

  *#string(text: string, place: Place): Steps<string> {
    if (text === '') return text;
    const embedded = place.embedded < MAX_EMBEDDED ? yield* this.#embedded(text, place) : null;
    if (embedded !== null) return embedded;
    const shown = withMediaReferences(text, place.name, place.parent, this.#counts);
    return this.#secret(shown, place.name) ?? (yield* this.#found(shown));
  }

  /** The replacement of a text that its name says is a secret; null otherwise. */
  #secret(text: string, name: string): string | null {
    if (name === '') return null;
    const { holdsSecret, holdsPhone } = this.#redaction.memberNamed(name);
    const kind =
      holdsSecret && isSecretValueOf(name, text) ? 'secret' : holdsPhone && phoneText.test(text) ? 'phone' : null;
    if (kind === null) return null;
    count(this.#counts, kind);
    return replacementOf(kind);
  }

  /** A text without what is found in it. */
  *#found(text: string): Steps<string> {
    const { redact, redactLong, searches } = this.#redaction;
    if (text.length <= WINDOW_LENGTH) {
      const redacted = redact(text, this.#counts);
      if (this.#endsTurn(text.length * searches)) yield;
      return redacted;
    }
    const steps = redactLong(text, this.#counts);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (this.#endsTurn(value)) yield;
    }
  }

  #endsTurn(searched: number): boolean {
    this.#searched += searched;
    if (this.#searched < TURN_LENGTH) return false;
    this.#searched = 0;
    return true;
  }

  /** The arguments of tool calls are JSON in a string. @returns null if the text is none */
  *#embedded(text: string, { name, depth, embedded }: Place): Steps<string | null> {
    const first = text.charCodeAt(0);
    // A bracket, or white space before one.
    if (first !== 0x7b && first !== 0x5b && first > 0x20) return null;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    if (typeof value !== 'object') return null;
    const redacted = yield* this.#value(value, { name, parent: null, depth: depth + 1, embedded: embedded + 1 });
    return redacted === value ? text : JSON.stringify(redacted);
  }
}

/** Names that became equal stay apart. */
function apart(entries: readonly [string, unknown][]): [string, unknown][] {
  const names = new Set<string>();
  return entries.map(([name, value]) => {
    let free = name;
    for (let next = 2; names.has(free); next += 1) free = `${name} ${next}`;
    names.add(free);
    return [free, value];
  });
}
