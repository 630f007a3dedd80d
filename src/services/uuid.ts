const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in canonical form; PostgreSQL fails when it compares ids with other text. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
