import { SluiceError } from '../../errors/index.ts';
import type { UploadedFile } from '../../gateway/request-input.ts';

type Value = string | UploadedFile;
type Field = Value | Value[] | Map<string, Value>;

const MAX_SHOWN_LENGTH = 64;
/** `name[]` and `name[0]`, an item of a list; `name[member]`, a member of an object. */
const BRACKETED = /^([^[\]]+)\[([^[\]]*)\]$/;

/** The name of a field without brackets. */
export function fieldName(name: string): string {
  return BRACKETED.exec(name)?.[1] ?? name;
}

/** A name as shown in error messages. */
export function shownName(name: string): string {
  return name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}…` : name;
}

/** Collects the parts of a form into the equivalent JSON value. A repeated name becomes a list. */
export class FormFields {
  readonly #fields = new Map<string, Field>();

  /** @throws SluiceError invalid_form */
  add(given: string, value: Value): void {
    const [, name = given, inner = null] = BRACKETED.exec(given) ?? [];
    const before = this.#fields.get(name);
    const isMember = inner !== null && !/^\d*$/.test(inner);
    if (before !== undefined && before instanceof Map !== isMember)
      throw new SluiceError('invalid_form', {
        values: { reason: `the field '${shownName(name)}' is sent both with members and without` },
      });
    if (before instanceof Map && inner !== null && before.has(inner))
      throw new SluiceError('invalid_form', { values: { reason: `the field '${shownName(given)}' is sent twice` } });
    if (isMember) this.#fields.set(name, (before instanceof Map ? before : new Map()).set(inner, value));
    else if (Array.isArray(before)) before.push(value);
    else if (before !== undefined && !(before instanceof Map)) this.#fields.set(name, [before, value]);
    else this.#fields.set(name, inner === null ? value : [value]);
  }

  /** By name: a string or a file, or a list or an object of them. */
  value(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      [...this.#fields].map(([name, field]) => [name, field instanceof Map ? Object.fromEntries(field) : field]),
    );
  }
}
