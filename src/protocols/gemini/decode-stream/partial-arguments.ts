import { listOf, objectOf, textOf, type JsonObject } from '../../canonical/json-members.ts';

/** In characters: each character of a path may be a level of its own. */
const MAX_PATH_LENGTH = 10_000;
/** The maximum number of objects and arrays of one call. */
const MAX_BRANCHES = 10_000;

type Step = string | number;
/** Own members only: `__proto__` is an ordinary name. */
type Branch = Map<Step, Branch | unknown>;

/**
 * Arguments that arrive in pieces, each with its path: `{"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}`.
 * A text is appended to an earlier one at the same path. A path without a value is an empty object, or an array if it
 * ends in `[]`. Source: docs.cloud.google.com, "Function calling", streaming function call arguments; PartialArg.
 */
export class PartialArguments {
  readonly #root: Branch = new Map();
  #branches = 0;

  /**
   * @returns whether any of them continues
   * @throws RangeError for more levels than any call has: they need many times the memory of their names
   */
  add(partialArgs: unknown): boolean {
    let continues = false;
    for (const item of listOf(partialArgs)) {
      const arg = objectOf(item) ?? {};
      this.#insert(arg);
      continues ||= arg.willContinue === true;
    }
    return continues;
  }

  json(): string {
    return JSON.stringify(valueOf(this.#root));
  }

  #insert(arg: JsonObject): void {
    const path = textOf(arg.jsonPath) ?? '';
    if (path.length > MAX_PATH_LENGTH) throw new RangeError(`a path is longer than ${MAX_PATH_LENGTH} characters`);
    const steps = stepsOf(path);
    const last = steps.pop();
    if (last === undefined) return;
    let branch = this.#root;
    for (const step of steps) branch = this.#branchAt(branch, step);
    const known = branch.get(last);
    const value = pieceOf(arg);
    if (value !== undefined)
      branch.set(last, typeof known === 'string' && typeof value === 'string' ? known + value : value);
    else if (known === undefined && arg.willContinue !== true) branch.set(last, path.endsWith('[]') ? [] : {});
  }

  #branchAt(branch: Branch, step: Step): Branch {
    const known = branch.get(step);
    if (known instanceof Map) return known;
    this.#branches += 1;
    if (this.#branches > MAX_BRANCHES) throw new RangeError(`a call has more than ${MAX_BRANCHES} places`);
    const grown: Branch = new Map();
    branch.set(step, grown);
    return grown;
  }
}

function pieceOf({
  stringValue,
  numberValue,
  boolValue,
  ...others
}: JsonObject): string | number | boolean | null | undefined {
  if (typeof stringValue === 'string') return stringValue;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return 'nullValue' in others ? null : undefined;
}

/** `$.recipe.steps[0]['a b']` as its names and indexes. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(/(?:^\$)?\.?([^.[\]$]+)|\[(\d+)\]|\['([^']*)'\]/g))
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  return steps;
}

/** A branch with indexes only is an array; gaps are closed, so that a large index costs nothing. */
function valueOf(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...value.entries()].map(([step, inner]): [unknown, unknown] => [step, valueOf(inner)]);
  if (entries.length > 0 && entries.every(([step]) => typeof step === 'number'))
    return entries.map(([, inner]) => inner);
  return Object.fromEntries(entries.map(([step, inner]) => [String(step), inner]));
}
