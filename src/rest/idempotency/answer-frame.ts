import { z } from 'zod';

const pairs = z.array(z.tuple([z.string(), z.string()]));

/** What a kept answer says of itself. */
export const answerFrame = z.object({ status: z.number(), headers: pairs, trailers: pairs });
