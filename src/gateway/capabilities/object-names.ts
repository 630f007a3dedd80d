import type { ObjectRules } from '../../protocols/canonical/request/named-objects.ts';
import { foldCase } from './fold-case.ts';

/** ASCII letters differ in this bit by their case. */
const CASE_BIT = 0x20;

/** Of `ObjectRules`, what says which members are compared by their names. */
export type NamingRules = Pick<ObjectRules, 'naming' | 'namingObjects' | 'free'>;

/** The names of the members that name objects at a provider, and of those whose content is the client's own. */
export class ObjectNames {
  /** Members whose objects and lists name nothing. */
  readonly free: ReadonlySet<string>;
  /** By their length, each byte with the bit of the case set. */
  readonly #byLength: Buffer[][] = [];
  /** The free ones by their length, as they are. */
  readonly #freeByLength: Buffer[][] = [];
  readonly #byFoldedName = new Map<string, string>();

  constructor({ naming, namingObjects, free }: NamingRules) {
    this.free = free;
    for (const name of [...naming, ...namingObjects]) {
      this.#byFoldedName.set(foldCase(name), name);
      const bytes = Buffer.from(name).map((byte) => byte | CASE_BIT);
      (this.#byLength[bytes.length] ??= []).push(Buffer.from(bytes));
    }
    for (const name of free) (this.#freeByLength[name.length] ??= []).push(Buffer.from(name));
  }

  /** Whether a name without escapes is that of a member whose content is the client's own. */
  isFree(json: Buffer, start: number, end: number): boolean {
    for (const bytes of this.#freeByLength[end - start] ?? []) {
      let at = 0;
      while (at < bytes.length && json[start + at] === bytes[at]) at++;
      if (at === bytes.length) return true;
    }
    return false;
  }

  /** Whether a name without escapes, of ASCII characters, may be a spelling of one of these: `otherSpelling` tells. */
  mayMean(json: Buffer, start: number, end: number): boolean {
    for (const bytes of this.#byLength[end - start] ?? []) {
      let at = 0;
      while (at < bytes.length && ((json[start + at] ?? 0) | CASE_BIT) === bytes[at]) at++;
      if (at === bytes.length) return true;
    }
    return false;
  }

  /** Whether a member names objects. */
  isNaming(name: string): boolean {
    return this.#byFoldedName.get(foldCase(name)) !== undefined;
  }

  /** The member that a case-insensitive reader takes another name for. @param folded the name, by `foldCase` */
  otherSpelling(name: string, folded = foldCase(name)): string | undefined {
    const meant = this.#byFoldedName.get(folded);
    return meant === name ? undefined : meant;
  }
}
