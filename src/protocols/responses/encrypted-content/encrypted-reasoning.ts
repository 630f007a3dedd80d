import { isObject, textOf, type JsonObject } from '../../canonical/json-members.ts';
import { SealedKind, type ContentSeal } from './content-seal.ts';

const kind = new SealedKind('reasoning');

/** Returns undefined for invalid JSON. */
export type ParseJson = (json: string) => unknown;

/** Encrypts reasoning details as the `encrypted_content` of one item. Providers' signatures are part of it. */
export function sealDetails(details: readonly object[], seal: ContentSeal): string {
  return kind.write(JSON.stringify(details), seal);
}

/**
 * Decrypts the reasoning details of an item. One that OpenAI encrypted is passed on to OpenAI.
 * @param path of the item
 * @throws SluiceError invalid_encrypted_content
 */
export function openDetails(
  { id, encrypted_content: sealed }: { readonly id?: unknown; readonly encrypted_content?: unknown },
  { parse, seal, path }: { readonly parse: ParseJson; readonly seal: ContentSeal; readonly path: string },
): readonly JsonObject[] {
  if (typeof sealed !== 'string' || sealed === '') return [];
  if (!kind.isOurs(sealed)) {
    const own = textOf(id) === null ? {} : { id };
    return [{ ...own, format: 'openai-responses-v1', type: 'reasoning.encrypted', data: sealed }];
  }
  const details = parse(kind.read(sealed, seal, `${path}.encrypted_content`));
  return Array.isArray(details) ? details.filter(isObject) : [];
}
