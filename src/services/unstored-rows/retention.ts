/** Of stored responses and chat completions, after their creation. */
const RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;

/** When a request began, in milliseconds since the epoch. @param eventId a UUIDv7, which starts with its time */
export function beganAt(eventId: string): number {
  return Number.parseInt(eventId.slice(0, 8) + eventId.slice(9, 13), 16);
}

/** @param createdAt in milliseconds since the epoch */
export function expiryOf(createdAt: number): Date {
  return new Date(createdAt + RETENTION_DAYS * DAY_MS);
}
