const UUID_DIGITS = '([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})';
const RESPONSE_ID = new RegExp(`^resp_${UUID_DIGITS}$`);
const ITEM_ID = new RegExp(`^[a-z]+_${UUID_DIGITS}([0-9a-f]{4})$`);

/** Where an output item stands. */
export interface ItemPlace {
  /** The UUID of its response. */
  readonly responseId: string;
  /** From 0, within the output. */
  readonly index: number;
}

/** What a response is called: `resp_` and the 32 hex digits of the UUID. */
export function publicResponseId(id: string): string {
  return `resp_${id.replaceAll('-', '')}`;
}

/** Null for a text that names none. */
export function readResponseId(publicId: string): string | null {
  return RESPONSE_ID.exec(publicId)?.slice(1).join('-') ?? null;
}

/**
 * What an output item is called, so that it is found again: the digits of its response, and four of its place.
 * @param prefix lower-case letters that say what it is, such as `msg`
 */
export function itemId(prefix: string, responseId: string, index: number): string {
  return `${prefix}_${responseId.replaceAll('-', '')}${index.toString(16).padStart(4, '0')}`;
}

/** Null for a text that names none. */
export function readItemId(text: string): ItemPlace | null {
  const match = ITEM_ID.exec(text);
  return match && { responseId: match.slice(1, 6).join('-'), index: Number.parseInt(match[6] ?? '', 16) };
}

/** The same, for those who make responses. */
export const responseNames = { response: publicResponseId, item: itemId, read: readResponseId } as const;
