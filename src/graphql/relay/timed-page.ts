import type { PageRequest as TimedPageRequest, Position } from '../../services/page-by-creation.ts';
import { fromTimeCursor, toCursor, type PageRequest } from './page.ts';

/** A page in order of creation. @throws SluiceError bad_user_input for an invalid cursor */
export function toTimedPage({ limit, from, backwards }: PageRequest): TimedPageRequest {
  if (from === null) return { limit, backwards };
  const { at: createdAt, id } = fromTimeCursor(from, backwards);
  return { limit, backwards, from: { createdAt, id } };
}

/** Cursor of a row in order of creation. */
export function timeCursor({ createdAt, id }: Position): string {
  return toCursor([createdAt.toISOString(), id]);
}
