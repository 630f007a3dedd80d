import { z } from 'zod';
import { savedViewPages } from '../../database/entities/index.ts';

const MAX_NAME_LENGTH = 100;
const MAX_SEARCH_LENGTH = 2_000;

// PostgreSQL stores neither NUL nor lone surrogates.
const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME_LENGTH)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be text without control characters');
const search = z
  .string()
  .max(MAX_SEARCH_LENGTH)
  .regex(/^(?:\?[!-~]*)?$/, 'must be the query of a URL: empty, or a question mark and encoded parameters')
  .refine((text) => !text.includes('#'), 'must not contain a fragment');

export const newViewSchema = z.object({
  name,
  page: z.enum(savedViewPages),
  search,
  isShared: z.boolean().nullish(),
});
export type NewView = z.input<typeof newViewSchema>;

/** Absent members stay as they are. */
export const viewChangeSchema = z.object({
  name: name.nullish(),
  search: search.nullish(),
  isShared: z.boolean().nullish(),
});
export type ViewChange = z.input<typeof viewChangeSchema>;
