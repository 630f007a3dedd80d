import { z } from 'zod';
import type { ContentLevel } from '../../gateway/content/content-level.ts';
import type { DetectorName, RedactionRules } from '../../gateway/content/redaction/rules.ts';

export const contentLevels = ['off', 'metadata', 'full'] as const satisfies readonly ContentLevel[];
const detectors = ['email', 'phone', 'card', 'iban', 'ip', 'secret'] as const satisfies readonly DetectorName[];

/** The rules of accounts that set none: every detector. One object, so that it is compiled once. */
export const defaultRedaction: RedactionRules = Object.freeze({ detectors, customPatterns: Object.freeze([]) });

/** As for moderation, NUL and lone surrogates cannot be stored. */
const text = z
  .string()
  .max(1_000)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters');

export const redactionSchema = z.strictObject({
  detectors: z
    .array(z.enum(detectors))
    .readonly()
    .transform((names): readonly DetectorName[] => [...new Set(names)]),
  customPatterns: z
    .array(z.strictObject({ name: text, pattern: text }))
    .max(100)
    .readonly(),
});

export const contentLoggingSchema = z.strictObject({
  /** Null for the instance's default. */
  level: z.enum(contentLevels).nullish(),
  retentionDays: z.int().min(1).max(3_650).nullish(),
  redaction: redactionSchema.nullish(),
  /** Stores the words of content for search, unencrypted. */
  search: z.boolean().nullish(),
});

/** Absent members are unchanged. A null level means the instance's default. */
export type ContentLoggingChange = z.input<typeof contentLoggingSchema>;
