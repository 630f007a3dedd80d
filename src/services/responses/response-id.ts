const UUID_DIGITS = '([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})';
const RESPONSE_ID = new RegExp(`^resp_${UUID_DIGITS}$`);
const ITEM_ID = new RegExp(`^[a-z]+_${UUID_DIGITS}([0-9a-f]{4})$`);

/** The position of an output item. */
export interface ItemPlace {
  /** The UUID of its response. */
  readonly responseId: string;
  /** From 0, within the output. */
  readonly index: number;
}

/** A response's public id: `resp_` and the 32 hex digits of the UUID. */
export function publicResponseId(id: string): string {
  return `resp_${id.replaceAll('-', '')}`;
}

/** Null if the text is not a response id. */
export function readResponseId(publicId: string): string | null {
  return RESPONSE_ID.exec(publicId)?.slice(1).join('-') ?? null;
}

/**
 * An output item's id, from which its position can be read: the digits of its response, and four of its index.
 * @param prefix lower-case letters of the item's type, such as `msg`
 */
export function itemId(prefix: string, responseId: string, index: number): string {
  return `${prefix}_${responseId.replaceAll('-', '')}${index.toString(16).padStart(4, '0')}`;
}

/** Null if the text is not an item id. */
export function readItemId(text: string): ItemPlace | null {
  const match = ITEM_ID.exec(text);
  return match && { responseId: match.slice(1, 6).join('-'), index: Number.parseInt(match[6] ?? '', 16) };
}

/** The same functions, for the gateway. */
export const responseNames = {
  response: publicResponseId,
  item: itemId,
  isItem: (text: string): boolean => ITEM_ID.test(text),
  read: readResponseId,
} as const;
