import { isSecretName, isSecretValueOf } from './detectors/assignment.ts';
import { withMediaReferences } from './media-reference.ts';
import { count, replacementOf } from './replace.ts';
import type { RedactionCounts } from './rules.ts';

/** Deeper values are replaced, because they were not looked at. */
const MAX_DEPTH = 512;
/** JSON in JSON in JSON: deeper texts are redacted as texts. */
const MAX_EMBEDDED = 4;
/** Integers below have fewer digits than a telephone number or a card. */
const MIN_SCANNED_INTEGER = 1e9;

const phoneMember = /(?:phone|mobile|fax|whatsapp|msisdn)(?:[-_]?number)?$|^tel$/i;
const phoneText = /^\s*\+?[\d\s()./-]{7,25}\s*$/;

export interface Redaction {
  readonly redact: (text: string, counts: RedactionCounts) => string;
  readonly findsSecrets: boolean;
  readonly findsPhones: boolean;
  /** What is known of names of members, which repeat in every document. */
  readonly members: Map<string, Member>;
}

/** The name of a member of an object. */
export interface Member {
  /** Whether nothing in it is redacted. */
  readonly isClean: boolean;
  readonly holdsSecret: boolean;
  readonly holdsPhone: boolean;
}

interface Place {
  /** The name of the member; empty in an array and at the top. */
  name: string;
  readonly parent: object | null;
  readonly depth: number;
  readonly embedded: number;
}

const MAX_MEMBERS = 1_000;
const MAX_KEPT_LENGTH = 64;

/** Redacts one value after another into the same counts. */
export class DocumentRedaction {
  readonly #redaction: Redaction;
  readonly #counts: RedactionCounts;

  constructor(redaction: Redaction, counts: RedactionCounts) {
    this.#redaction = redaction;
    this.#counts = counts;
  }

  /** A redacted copy of a JSON value, which shares what did not change. */
  redact(value: unknown): unknown {
    return this.#value(value, { name: '', parent: null, depth: 0, embedded: 0 });
  }

  #value(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#string(value, place);
    if (typeof value === 'number') return this.#number(value, place);
    if (typeof value !== 'object' || value === null) return value;
    if (place.depth >= MAX_DEPTH) {
      count(this.#counts, 'nesting');
      return replacementOf('nesting');
    }
    return Array.isArray(value) ? this.#array(value, place) : this.#object(value, place);
  }

  #array(values: readonly unknown[], { name, depth, embedded }: Place): readonly unknown[] {
    // The elements of an array are values of its member.
    const inside = { name, parent: null, depth: depth + 1, embedded };
    let copy: unknown[] | null = null;
    for (let at = 0; at < values.length; at += 1) {
      const redacted = this.#value(values[at], inside);
      if (redacted === values[at]) continue;
      copy ??= [...values];
      copy[at] = redacted;
    }
    return copy ?? values;
  }

  #object(object: object, { depth, embedded }: Place): object {
    const inside = { name: '', parent: object, depth: depth + 1, embedded };
    let entries: [string, unknown][] | null = null;
    const names = Object.keys(object);
    for (const [at, name] of names.entries()) {
      const value: unknown = Reflect.get(object, name);
      inside.name = name;
      const redacted = this.#value(value, inside);
      const redactedName = this.#member(name).isClean ? name : this.#redaction.redact(name, this.#counts);
      if (redacted === value && redactedName === name) continue;
      entries ??= Object.entries(object);
      entries[at] = [redactedName, redacted];
    }
    // `fromEntries` defines members, also one called `__proto__`.
    return entries === null ? object : Object.fromEntries(apart(entries));
  }

  #number(value: number, { name }: Place): unknown {
    const isScanned = Math.abs(value) >= MIN_SCANNED_INTEGER && Number.isInteger(value);
    if (!isScanned && !(name !== '' && this.#member(name).holdsSecret)) return value;
    const text = String(value);
    const redacted = this.#text(text, name);
    return redacted === text ? value : redacted;
  }

  #string(text: string, place: Place): string {
    if (text === '') return text;
    const embedded = place.embedded < MAX_EMBEDDED ? this.#embedded(text, place) : null;
    if (embedded !== null) return embedded;
    return this.#text(withMediaReferences(text, place.name, place.parent, this.#counts), place.name);
  }

  #text(text: string, name: string): string {
    if (name !== '') {
      const { holdsSecret, holdsPhone } = this.#member(name);
      if (holdsSecret && isSecretValueOf(name, text)) {
        count(this.#counts, 'secret');
        return replacementOf('secret');
      }
      if (holdsPhone && phoneText.test(text)) {
        count(this.#counts, 'phone');
        return replacementOf('phone');
      }
    }
    return this.#redaction.redact(text, this.#counts);
  }

  /** The arguments of tool calls are JSON in a string. @returns null if the text is none */
  #embedded(text: string, { name, depth, embedded }: Place): string | null {
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
    const redacted = this.#value(value, { name, parent: null, depth: depth + 1, embedded: embedded + 1 });
    return redacted === value ? text : JSON.stringify(redacted);
  }

  #member(name: string): Member {
    const { members, redact, findsSecrets, findsPhones } = this.#redaction;
    const known = members.get(name);
    if (known !== undefined) return known;
    const member: Member = {
      isClean: redact(name, {}) === name,
      holdsSecret: findsSecrets && isSecretName(name),
      holdsPhone: findsPhones && phoneMember.test(name),
    };
    if (name.length <= MAX_KEPT_LENGTH) {
      if (members.size >= MAX_MEMBERS) members.clear();
      members.set(name, member);
    }
    return member;
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
