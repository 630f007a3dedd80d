import { SluiceError, type ErrorCode } from '../../errors/index.ts';

/** What is wrong with a request, and where. The path grows from its end while the checks return. */
export interface Fault {
  readonly code: ErrorCode;
  readonly values: Readonly<Record<string, string | number>>;
  readonly path: (string | number)[];
}

/** Undefined where the value is right. Allocates nothing then. */
export type Check = (value: unknown) => Fault | undefined;

/** What a schema becomes. */
export interface Compiled {
  readonly check: Check;
  /** What JSON kinds it takes; empty where it takes any. */
  readonly kinds: readonly Kind[];
  /** How an error names it: `string`, `array of objects`. */
  readonly noun: string;
}

export function fault(code: ErrorCode, values: Fault['values'] = {}): Fault {
  return { code, values, path: [] };
}

/** The same fault, one level further out. */
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

/** Keys are a caller's text: a long one is cut, so that no error is larger than it must be. */
const longestKey = 64;

/** `['messages', 0, 'role']` is `messages[0].role`. */
function renderPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else {
      const key = step.length > longestKey ? `${step.slice(0, longestKey)}…` : step;
      text += text === '' ? key : `.${key}`;
    }
  }
  return text;
}

/** JSON's kinds of values, as the errors name them. */
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

/** A JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
