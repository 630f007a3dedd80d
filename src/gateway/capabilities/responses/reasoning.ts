import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../json-text.ts';
import type { ReasoningItem } from './items.ts';

const OURS = 'sluice-reasoning-1.';

/**
 * Encodes a chat's `reasoning_details` as the `encrypted_content` of one item. Providers' signatures are part of it.
 */
export function sealDetails(details: readonly unknown[]): string {
  return OURS + Buffer.from(JSON.stringify(details)).toString('base64');
}

/** Decodes the `reasoning_details` of an item. One that OpenAI encrypted is passed on to OpenAI. */
export function detailsOf({ id, encrypted_content: sealed }: ReasoningItem): readonly unknown[] {
  if (typeof sealed !== 'string' || sealed === '') return [];
  if (!sealed.startsWith(OURS)) {
    const own = typeof id === 'string' ? { id } : {};
    return [{ ...own, format: 'openai-responses-v1', type: 'reasoning.encrypted', data: sealed }];
  }
  const details = tryParse(Buffer.from(sealed.slice(OURS.length), 'base64').toString());
  return Array.isArray(details) ? details.filter(isObject) : [];
}
