import { SluiceError, type ErrorCode } from '../../../errors/index.ts';

/** An invalid member and its path. The path is prepended to while the checks return. */
export interface Fault {
  readonly code: ErrorCode;
  readonly values: Readonly<Record<string, string | number>>;
  readonly path: (string | number)[];
}

/** Returns undefined for a valid value, without allocating. */
export type Check = (value: unknown) => Fault | undefined;

/** A compiled schema. */
export interface Compiled {
  readonly check: Check;
  /** The JSON kinds that it accepts; empty for any. */
  readonly kinds: readonly Kind[];
  /** Its name in errors: `string`, `array of objects`. */
  readonly noun: string;
}

export function fault(code: ErrorCode, values: Fault['values'] = {}): Fault {
  return { code, values, path: [] };
}

/** The same fault, nested one level deeper under a key. */
export function within(key: string | number, inner: Fault): Fault {
  inner.path.unshift(key);
  return inner;
}

export function toError(found: Fault): SluiceError {
  const param = renderPath(found.path);
  return param === ''
    ? new SluiceError('invalid_json', {
        values: { reason: `the body must be ${found.values.expected ?? 'an object'}` },
      })
    : new SluiceError(found.code, { param, values: found.values });
}

/** Keys are client text and are truncated, which bounds the size of an error. */
const MAX_KEY_LENGTH = 64;

/** `['messages', 0, 'role']` is `messages[0].role`. */
function renderPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else {
      const key = step.length > MAX_KEY_LENGTH ? `${step.slice(0, MAX_KEY_LENGTH)}…` : step;
      text += text === '' ? key : `.${key}`;
    }
  }
  return text;
}

/** JSON's value kinds, as errors name them. */
export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';

export function kindOf(value: unknown): Kind | undefined {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return undefined;
  }
}

export function wrongType(expected: string, value: unknown): Fault {
  return fault('invalid_type', { expected, received: describe(value) });
}

function describe(value: unknown): string {
  const kind = kindOf(value);
  if (kind === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  if (kind === 'null' || kind === undefined) return 'null';
  return withArticle(kind);
}

export function withArticle(noun: string): string {
  return /^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

/** `'a', 'b' or 'c'`. */
export function listValues(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop();
  return quoted.length === 0 ? `${last}` : `${quoted.join(', ')} or ${last}`;
}
