const PUBLIC_ID = /^conv_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** A conversation's public id: `conv_` and the 32 hex digits of the UUID. */
export function publicConversationId(id: string): string {
  return `conv_${id.replaceAll('-', '')}`;
}

/** Null if the text is not the id of a conversation here: OpenAI's have more digits. */
export function readConversationId(publicId: string): string | null {
  return PUBLIC_ID.exec(publicId)?.slice(1).join('-') ?? null;
}
