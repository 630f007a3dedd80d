/**
 * How members that a protocol's list of naming members does not have may name objects at its provider: by their names, by an `id`
 * in them, and by ids of the general form.
 */
export interface UnknownRules {
  /** Members whose objects have an `id` of their own, which names nothing at the provider: items and calls. */
  readonly identified: ReadonlySet<string>;
  /** Members that the protocol defines, whose text may look like any id: it is a key, a state, or the client's own. */
  readonly texts: ReadonlySet<string>;
  /** Members whose objects have names of the client's own. Those of metadata in any form belong to them. */
  readonly ownNames: ReadonlySet<string>;
}

/** What contains a member. */
export interface MemberPlace {
  /** The name of the member that contains its object, directly or in a list; empty for the request itself. */
  readonly container: string;
}

/** `widget_id`, `widget-ids`, `ids`; `widgetId`, `widgetIDs`. */
const separated = /(?:^|[_.-])ids?$/i;
const joined = /[a-z\d](?:Id|ID)s?$/;
/** What clients relate requests by: names of their own. */
const correlation = /^(?:parent_?)?(?:trace|span|session|request|user)_?id$|^cache_salt$/i;
/** Tokens of a vocabulary, by number. Source: docs.vllm.ai, "OpenAI-Compatible Server". */
const ofTokens = /tokens?(?:_?type)?_?ids?$/i;
const metadata = /metadata/i;
/** A prefix, and a long random part with digits, or a UUID: `wdg_68a1b2c3d4e5f607`, `batch_job-5f0c…`. */
const general =
  /^[a-z][a-z\d]{0,23}(?:[_-][a-z]{1,23}){0,3}[_-](?:(?=[A-Za-z]*\d)[A-Za-z\d]{16,200}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Whether the objects of a member have names of the client's own: only what is known to name an object is checked in them. */
export function hasOwnNames({ ownNames }: UnknownRules, name: string): boolean {
  return ownNames.has(name) || metadata.test(name);
}

/** Whether the value of a member that is not known to name objects may be the id of one. */
export function mayBeId(
  { identified, texts }: UnknownRules,
  name: string,
  value: string | number,
  { container }: MemberPlace,
): boolean {
  if (value === '' || texts.has(name) || correlation.test(name)) return false;
  if (name === 'id') return !identified.has(container);
  if (isIdName(name)) return typeof value !== 'number' || !ofTokens.test(name);
  return typeof value === 'string' && general.test(value) && !metadata.test(name);
}

function isIdName(name: string): boolean {
  const last = name.at(-1);
  if (last !== 'd' && last !== 's' && last !== 'D' && last !== 'S') return false;
  return separated.test(name) || joined.test(name);
}
