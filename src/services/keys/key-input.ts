import { z } from 'zod';
import { capabilityNames } from '../../catalogue/capability-names.ts';
import { membershipRoles } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { contentLevels } from '../accounts/content-settings.ts';
import { scopes } from '../authorization/scopes.ts';
import { moderationRulesSchema } from '../moderation-rules.ts';

/** PostgreSQL cannot store NUL, and other control characters could affect a terminal that lists keys. */
const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');
const limit = z.int().min(1).max(1_000_000_000).nullish();
const rates = { requestsPerMinute: limit, tokensPerMinute: limit, requestsPerDay: limit, concurrency: limit };
/** Each costs memory, and time per request. */
const MAX_PARTS = 50;

/** A list in which each name stands once. */
function partsOf<Schema extends z.ZodType>(schema: Schema, nameOf: (part: z.output<Schema>) => string) {
  return z
    .array(schema)
    .max(MAX_PARTS)
    .superRefine((parts, context) => {
      const names = parts.map(nameOf);
      const again = names.findIndex((name, place) => names.indexOf(name) !== place);
      if (again >= 0) context.addIssue({ code: 'custom', path: [again], message: 'must not be listed twice' });
    })
    .nullish();
}

const boundsSomething = (part: Partial<Record<keyof typeof rates, number | null | undefined>>): boolean =>
  Boolean(part.requestsPerMinute ?? part.tokensPerMinute ?? part.requestsPerDay ?? part.concurrency);
const forModel = z
  .strictObject({ model: text(256), ...rates })
  .refine(boundsSomething, 'must contain at least one limit; add one or remove the entry');
const isCapability = (name: string): boolean => capabilityNames.some((each) => each === name);
const capability = z.string().refine(isCapability, `must be one of ${capabilityNames.join(', ')}`);
const forCapability = z
  .strictObject({ capability, ...rates })
  .refine(boundsSomething, 'must contain at least one limit; add one or remove the entry');

/** What the key's requests get for a name or a pattern. */
const alias = z.strictObject({
  name: text(256).regex(/^[^*]+\*?$/, 'may have one `*`, at its end and after other characters'),
  model: text(256),
});

const shape = {
  name: text(100),
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
  allowedModels: z.array(text(256)).max(500).nullish(),
  modelAliases: partsOf(alias, ({ name }) => name),
  expiresAt: z.date().nullish(),
  limits: z
    .strictObject({
      ...rates,
      perModel: partsOf(forModel, ({ model }) => model),
      perCapability: partsOf(forCapability, (part) => part.capability),
    })
    .nullish(),
  liveContent: z.boolean().nullish(),
  contentLevel: z.enum(contentLevels).nullish(),
  contentMayRaise: z.boolean().nullish(),
  responseCacheSeconds: z
    .int()
    .min(0)
    .max(30 * 24 * 3_600)
    .nullish(),
  moderation: moderationRulesSchema.nullish(),
  /** Whether unlisted model names are stored. */
  saveAnyway: z.boolean().nullish(),
};

export const newKeySchema = z.object({
  ...shape,
  scopes: shape.scopes.default(['inference']),
  role: z.enum(membershipRoles).nullish(),
});
export const keyChangeSchema = z.object({ ...shape, name: shape.name.nullish() }).omit({ scopes: true });

export const rotationSchema = z.object({
  overlapSeconds: z
    .int()
    .min(0)
    .max(30 * 24 * 3_600)
    .nullish(),
});

export const newTokenSchema = z.object({
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
  expiresInSeconds: z.int().min(1).max(3_600).nullish(),
});

export type NewKey = z.input<typeof newKeySchema>;
export type KeyChange = z.input<typeof keyChangeSchema>;
export type KeyRotation = z.input<typeof rotationSchema>;
export type NewToken = z.input<typeof newTokenSchema>;

/** @throws SluiceError bad_user_input */
export function requireFuture(expiresAt: Date | null | undefined, now: number): void {
  if (expiresAt && expiresAt.getTime() <= now)
    throw new SluiceError('bad_user_input', {
      param: 'expiresAt',
      values: { reason: 'expiresAt: must be in the future' },
    });
}
