import { SluiceError } from '../../errors/index.ts';
import { readVideoId } from './video-id.ts';

const MOST_ROWS = 100;
const USUAL_ROWS = 20;

/** A page of videos, as it is asked for. */
export interface VideoPageRequest {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The video behind which it begins. */
  readonly after: string | null;
}

/** Reads `limit`, `order` and `after` of a query. @throws SluiceError invalid_value | integer_* */
export function readVideoPage(query: Readonly<Record<string, unknown>>): VideoPageRequest {
  const { limit, order, after } = query;
  if (order !== undefined && order !== 'asc' && order !== 'desc') throw invalid('order', "it must be 'asc' or 'desc'.");
  if (after !== undefined && typeof after !== 'string') throw invalid('after', 'it must be given once.');
  return { limit: readLimit(limit), order: order ?? 'desc', after: after ?? null };
}

function readLimit(limit: unknown): number {
  if (limit === undefined) return USUAL_ROWS;
  if (typeof limit !== 'string' || !/^-?\d{1,9}$/.test(limit)) throw invalid('limit', 'it must be a whole number.');
  const rows = Number(limit);
  if (rows < 0) throw new SluiceError('integer_below_min_value', { param: 'limit', values: { limit: 0 } });
  if (rows > MOST_ROWS)
    throw new SluiceError('integer_above_max_value', { param: 'limit', values: { limit: MOST_ROWS } });
  return rows;
}

/** @throws SluiceError not_found */
export function videoIdOf(publicId: string): string {
  return readVideoId(publicId) ?? noVideo();
}

/** Another account's video is none. */
export function noVideo(): never {
  throw new SluiceError('not_found', { values: { what: 'video' } });
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
