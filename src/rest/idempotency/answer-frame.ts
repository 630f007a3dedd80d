import { z } from 'zod';

const pairs = z.array(z.tuple([z.string(), z.string()]));

/** Metadata of a stored response. */
export const answerFrame = z.object({ status: z.number(), headers: pairs, trailers: pairs });
