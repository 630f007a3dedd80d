import type { Response } from 'express';
import { z } from 'zod';

/** Set in a response that another request received first. */
export const REPLAYED = 'idempotency-replayed';
const OF_CALLER = /^x-ratelimit-/i;

const pairs = z.array(z.tuple([z.string(), z.string()]));

/** Metadata of a stored response. */
export const responseFrame = z.object({ status: z.number(), headers: pairs, trailers: pairs });

type Pairs = readonly (readonly [name: string, value: string])[];

/** Status, headers and trailers of a response. */
export interface ResponseFrame {
  readonly status: number;
  readonly headers: Pairs;
  readonly trailers: Pairs;
}

/** Omits rate limit headers of a replayed response, which belong to the first client. */
export function sendHead(reader: Response, { status, headers }: ResponseFrame): void {
  const isReplayed = reader.hasHeader(REPLAYED);
  const isSent = ([name]: Pairs[number]): boolean =>
    (!isReplayed || !OF_CALLER.test(name)) && (reader.useChunkedEncodingByDefault || name !== 'trailer');
  reader.writeHead(status, headers.filter(isSent).flat());
}
