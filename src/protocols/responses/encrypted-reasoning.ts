import { isObject, textOf, type JsonObject } from '../canonical/json-members.ts';

const OURS = 'sluice-reasoning-1.';

/** Encodes reasoning details as the `encrypted_content` of one item. Providers' signatures are part of it. */
export function sealDetails(details: readonly object[]): string {
  return OURS + Buffer.from(JSON.stringify(details)).toString('base64');
}

/**
 * Decodes the reasoning details of an item. One that OpenAI encrypted is passed on to OpenAI.
 * @param parse returns undefined for invalid JSON
 */
export function openDetails(
  { id, encrypted_content: sealed }: { readonly id?: unknown; readonly encrypted_content?: unknown },
  parse: (json: string) => unknown,
): readonly JsonObject[] {
  if (typeof sealed !== 'string' || sealed === '') return [];
  if (!sealed.startsWith(OURS)) {
    const own = textOf(id) === null ? {} : { id };
    return [{ ...own, format: 'openai-responses-v1', type: 'reasoning.encrypted', data: sealed }];
  }
  const details = parse(Buffer.from(sealed.slice(OURS.length), 'base64').toString());
  return Array.isArray(details) ? details.filter(isObject) : [];
}
