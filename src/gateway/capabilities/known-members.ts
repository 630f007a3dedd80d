import { z } from 'zod';
import { foldCase } from './fold-case.ts';
import { ObjectNames, type NamingRules } from './object-names.ts';

/**
 * The members of an object, each with the members of the objects in it, directly or in an array; null where any are
 * allowed.
 */
export interface MemberTree {
  readonly [name: string]: MemberTree | null;
}

/** A member that a protocol defines. */
export interface KnownMember {
  readonly name: string;
  readonly bytes: Buffer;
  /** Members of the objects in it; null where they are not checked. */
  readonly members: KnownMembers | null;
  /** The number of the last object that contained it. */
  seenIn: number;
}

/** The members that a protocol defines for one object, found by the bytes of their names. */
export class KnownMembers {
  /** How members of all objects name objects at a provider; null where none do, or within another object. */
  readonly objectNames: ObjectNames | null;
  /** By the length of the name. */
  readonly #byLength: KnownMember[][] = [];
  readonly #byFoldedName = new Map<string, KnownMember>();

  constructor(tree: MemberTree, objectNames: ObjectNames | null = null) {
    this.objectNames = objectNames;
    for (const [name, inner] of Object.entries(tree)) {
      const bytes = Buffer.from(name);
      const member = { name, bytes, members: inner === null ? null : new KnownMembers(inner), seenIn: 0 };
      while (this.#byLength.length <= bytes.length) this.#byLength.push([]);
      this.#byLength[bytes.length]?.push(member);
      this.#byFoldedName.set(foldCase(name), member);
    }
  }

  /** The member whose name is at this position of `json`, byte for byte. */
  at(json: Buffer, start: number, end: number): KnownMember | null {
    const length = end - start;
    if (length >= this.#byLength.length) return null;
    for (const member of this.#byLength[length] ?? []) if (matchesAt(json, start, member.bytes)) return member;
    return null;
  }

  /** The member with a name folded by `foldCase`. */
  like(foldedName: string): KnownMember | null {
    return this.#byFoldedName.get(foldedName) ?? null;
  }
}

function matchesAt(json: Buffer, start: number, bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if (json[start + at] !== bytes[at]) return false;
  return true;
}

/**
 * The members of a body by its schema, and further ones. Where a schema allows anything (a JSON Schema, a record, a
 * member that is null in `others`), nested members are not checked. Several schemas belong to one path: a form, and
 * JSON.
 * @param rules how members name objects at a provider: nested members that are not known are checked for those, too
 */
export function knownMembers(
  schemas: z.ZodType | readonly z.ZodType[],
  others: MemberTree = {},
  rules: NamingRules | null = null,
): KnownMembers {
  const tree = merged([...[schemas].flat().map(treeOf), others]) ?? {};
  return new KnownMembers(tree, rules === null ? null : new ObjectNames(rules));
}

function treeOf(schema: z.core.$ZodType): MemberTree | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return treeOf(schema.def.innerType);
  if (schema instanceof z.ZodArray) return treeOf(schema.element);
  if (schema instanceof z.ZodUnion) return merged(schema.options.map(treeOf));
  if (!(schema instanceof z.ZodObject)) return null;
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, member]: [string, z.core.$ZodType]) => [name, treeOf(member)]),
  );
}

function merged(trees: readonly (MemberTree | null)[]): MemberTree | null {
  const objects = trees.filter((tree) => tree !== null);
  if (objects.length < 2) return objects[0] ?? null;
  const names = new Set(objects.flatMap((tree) => Object.keys(tree)));
  return Object.fromEntries([...names].map((name) => [name, merged(objects.map((tree) => tree[name] ?? null))]));
}
