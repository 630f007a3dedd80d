import { listOf, objectOf, textOf, type JsonObject } from '../canonical/json-members.ts';

/** In characters: each of a path's may be a place of its own. */
const MAX_PATH_LENGTH = 10_000;
/** Places that hold others, of one call. */
const MAX_BRANCHES = 10_000;

type Step = string | number;
/** Own members only: `__proto__` is a name like any other. */
type Branch = Map<Step, Branch | unknown>;

/**
 * Arguments that come in pieces, each with its place: `{"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}`. A text
 * that comes again at its place goes on. A place without a value is an empty object, or array where it ends in `[]`.
 * Source: docs.cloud.google.com, "Function calling", streaming function call arguments; PartialArg.
 */
export class PartialArguments {
  readonly #root: Branch = new Map();
  #branches = 0;

  /**
   * @returns whether any of them says that more of it follows
   * @throws RangeError for more places than any call has: they take many times the room of their names
   */
  add(partialArgs: unknown): boolean {
    let continues = false;
    for (const given of listOf(partialArgs)) {
      const arg = objectOf(given) ?? {};
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

/** `$.recipe.steps[0]['a b']` as its names and numbers. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(/(?:^\$)?\.?([^.[\]$]+)|\[(\d+)\]|\['([^']*)'\]/g))
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  return steps;
}

/** A branch whose places are all numbers is an array; gaps in it are closed, so that a large number costs nothing. */
function valueOf(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...value.entries()].map(([step, inner]): [unknown, unknown] => [step, valueOf(inner)]);
  if (entries.length > 0 && entries.every(([step]) => typeof step === 'number'))
    return entries.map(([, inner]) => inner);
  return Object.fromEntries(entries.map(([step, inner]) => [String(step), inner]));
}
