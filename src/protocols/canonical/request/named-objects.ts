import { isObject, type JsonObject } from '../json-members.ts';
import type { NamedObject } from '../protocol.ts';
import { hasOwnNames, mayBeId, type UnknownRules } from './unknown-objects.ts';
import { pathOf } from './member-path.ts';

/** How the members of a protocol's requests name objects at its provider. */
export interface ObjectRules extends UnknownRules {
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
  /** Members that name objects of the connection's own project, whatever they contain; none if absent. */
  readonly ofProject?: ReadonlySet<string>;
  /** The name by which the rules have a member, where a protocol accepts several spellings; its own if absent. */
  nameOf?(name: string): string;
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
  /** As `MemberPlace.container`. */
  readonly container: string;
  /** Whether its names are the client's own: `hasOwnNames`. */
  readonly isOwn: boolean;
}

interface Member {
  /** What contains it. */
  readonly object: JsonObject;
  readonly name: string;
  readonly value: string | number;
  readonly path: string;
}

/** The objects at the provider that a request names, in document order. */
export function objectsNamedIn(body: unknown, rules: ObjectRules): NamedObject[] {
  const search = new ObjectSearch(rules);
  if (isObject(body)) search.visit(body, { path: '', depth: 0, isNamed: false, container: '', isOwn: false });
  return search.found;
}

class ObjectSearch {
  readonly found: NamedObject[] = [];
  readonly #rules: ObjectRules;

  constructor(rules: ObjectRules) {
    this.#rules = rules;
  }

  visit(object: JsonObject, place: Place): void {
    const { path, depth } = place;
    if (depth > MAX_DEPTH) return;
    const { naming, namingObjects, free, freeNames, ofProject, nameOf } = this.#rules;
    for (const [own, value] of Object.entries(object)) {
      const name = nameOf?.(own) ?? own;
      if (ofProject?.has(name) === true) this.found.push({ path: pathOf(path, own), id: '' });
      else if (typeof value === 'string' || typeof value === 'number')
        this.#addId({ object, name, value, path: pathOf(path, own) }, place);
      else if (typeof value === 'object' && value !== null && !free.has(name)) {
        const inner = {
          path: pathOf(path, own),
          depth: depth + 1,
          isNamed: naming.has(name) || namingObjects.has(name),
          container: name,
          isOwn: place.isOwn || hasOwnNames(this.#rules, name),
        };
        if (Array.isArray(value)) this.#visitItems(value, object, inner);
        else if (freeNames?.has(name) === true) this.#visitFree(value, inner);
        else if (isObject(value)) this.visit(value, inner);
      }
    }
  }

  #addId({ object, name, value, path }: Member, place: Place): void {
    const id = String(value);
    const isKnown = typeof value === 'string' && this.#isId(object, name, value, place.isNamed);
    if (!isKnown && !this.#isUnknownId(name, value, place)) return;
    if (this.#rules.isExempt?.(object, name, id) !== true) this.#add(path, id, isKnown);
  }

  #add(path: string, id: string, isKnown: boolean): void {
    this.found.push(isKnown ? { path, id } : { path, id, isUnknown: true });
  }

  #isId(object: JsonObject, name: string, value: string, isNamed: boolean): boolean {
    const { naming, form, freeTexts, isName } = this.#rules;
    const isNaming = naming.has(name) || (isNamed && name === 'id') || isName?.(object, name, value) === true;
    return isNaming ? value !== '' : !freeTexts.has(name) && form.test(value);
  }

  #isUnknownId(
    name: string,
    value: string | number,
    { isOwn, container }: Pick<Place, 'isOwn' | 'container'>,
  ): boolean {
    const { naming, freeTexts } = this.#rules;
    if (isOwn || freeTexts.has(name) || (naming.has(name) && typeof value === 'string')) return false;
    return mayBeId(this.#rules, name, value, { container });
  }

  /** @param object the one that contains the list */
  #visitItems(items: readonly unknown[], object: JsonObject, place: Place): void {
    if (place.depth > MAX_DEPTH) return;
    const name = place.container;
    for (const [index, item] of items.entries()) {
      const inner = { ...place, path: `${place.path}[${index}]`, depth: place.depth + 1 };
      if (typeof item === 'string' || typeof item === 'number') this.#addListed(item, object, name, inner);
      else if (Array.isArray(item)) this.#visitItems(item, object, inner);
      else if (isObject(item)) this.visit(item, inner);
    }
  }

  #addListed(item: string | number, object: JsonObject, name: string, { path, isOwn }: Place): void {
    const isKnown = typeof item === 'string' && this.#isListedId(name, item);
    if (!isKnown && !this.#isUnknownId(name, item, { isOwn, container: '' })) return;
    const id = String(item);
    if (isKnown || this.#rules.isExempt?.(object, name, id) !== true) this.#add(path, id, isKnown);
  }

  #isListedId(name: string, value: string): boolean {
    const { naming, form, freeTexts } = this.#rules;
    return naming.has(name) ? value !== '' : !freeTexts.has(name) && form.test(value);
  }

  #visitFree(object: object, place: Place): void {
    for (const [name, value] of Object.entries(object))
      if (isObject(value))
        this.visit(value, { ...place, path: pathOf(place.path, name), isNamed: false, container: name });
  }
}
