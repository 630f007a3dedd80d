import { isObject, type JsonObject } from '../json-members.ts';
import type { NamedObject } from '../protocol.ts';
import { pathOf } from './visit-objects.ts';

/** How the members of a protocol's requests name objects at its provider. */
export interface ObjectRules {
  /**
   * Members that name one, whatever its id looks like: by a text, by a list of texts, or by an object with an `id`.
   */
  readonly naming: ReadonlySet<string>;
  /** Members that do so only as objects. */
  readonly namingObjects: ReadonlySet<string>;
  /** Ids of the provider's form, which are checked in members that are not known, too. */
  readonly form: RegExp;
  /** Members whose text is the client's or the model's own. */
  readonly freeTexts: ReadonlySet<string>;
  /** Members whose objects and lists are, too. */
  readonly free: ReadonlySet<string>;
  /** Members of objects that have names of the client's own. Their texts name nothing, but their objects may. */
  readonly freeNames?: ReadonlySet<string>;
  /** Whether the text of a member names an object because of what contains it. */
  isName?(object: JsonObject, name: string, value: string): boolean;
  /** Whether the text of a member names nothing at the provider, against all other rules. */
  isExempt?(object: JsonObject, name: string, value: string): boolean;
}

/** No object of a request is nested deeper. */
const MAX_DEPTH = 32;

interface Place {
  /** As `tools[0].container`; empty for the request itself. */
  readonly path: string;
  readonly depth: number;
  /** Whether the member that contains it names an object: its `id` is one then. */
  readonly isNamed: boolean;
}

/** The objects at the provider that a request names, in document order. */
export function objectsNamedIn(body: unknown, rules: ObjectRules): NamedObject[] {
  const search = new ObjectSearch(rules);
  if (isObject(body)) search.visit(body, { path: '', depth: 0, isNamed: false });
  return search.found;
}

class ObjectSearch {
  readonly found: NamedObject[] = [];
  readonly #rules: ObjectRules;

  constructor(rules: ObjectRules) {
    this.#rules = rules;
  }

  visit(object: JsonObject, { path, depth, isNamed }: Place): void {
    if (depth > MAX_DEPTH) return;
    const { naming, namingObjects, free, freeNames } = this.#rules;
    for (const [name, value] of Object.entries(object)) {
      if (typeof value === 'string') {
        if (this.#isId(object, name, value, isNamed)) this.found.push({ path: pathOf(path, name), id: value });
      } else if (typeof value === 'object' && value !== null && !free.has(name)) {
        const isNaming = naming.has(name) || namingObjects.has(name);
        const place = { path: pathOf(path, name), depth: depth + 1, isNamed: isNaming };
        if (Array.isArray(value)) this.#visitItems(value, name, place);
        else if (freeNames?.has(name) === true) this.#visitFree(value, place);
        else if (isObject(value)) this.visit(value, place);
      }
    }
  }

  #isId(object: JsonObject, name: string, value: string, isNamed: boolean): boolean {
    const { naming, form, freeTexts, isName, isExempt } = this.#rules;
    const isNaming = naming.has(name) || (isNamed && name === 'id') || isName?.(object, name, value) === true;
    const isId = isNaming ? value !== '' : !freeTexts.has(name) && form.test(value);
    return isId && isExempt?.(object, name, value) !== true;
  }

  #visitItems(items: readonly unknown[], name: string, { path, depth, isNamed }: Place): void {
    if (depth > MAX_DEPTH) return;
    for (const [index, item] of items.entries()) {
      const place = { path: `${path}[${index}]`, depth: depth + 1, isNamed };
      if (typeof item === 'string') {
        if (this.#isListedId(name, item)) this.found.push({ path: place.path, id: item });
      } else if (Array.isArray(item)) this.#visitItems(item, name, place);
      else if (isObject(item)) this.visit(item, place);
    }
  }

  #isListedId(name: string, value: string): boolean {
    const { naming, form, freeTexts } = this.#rules;
    return naming.has(name) ? value !== '' : !freeTexts.has(name) && form.test(value);
  }

  #visitFree(object: object, { path, depth }: Place): void {
    for (const [name, value] of Object.entries(object))
      if (isObject(value)) this.visit(value, { path: pathOf(path, name), depth, isNamed: false });
  }
}
