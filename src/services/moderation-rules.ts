import { z } from 'zod';
import type { ModerationRules, ModerationSettings } from '../gateway/keys/moderation-settings.ts';

/** The moderation of an account's chats: of a key, or of a route. */
export const moderationRulesSchema = z.object({
  model: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters'),
  check: z
    .array(z.enum(['input', 'output']))
    .min(1)
    .max(2)
    .nullish()
    .transform((check) => [...new Set(check ?? (['input', 'output'] as const))]),
  action: z.enum(['block', 'annotate']),
});

/** The rules in the gateway's format. */
export function accountModeration({ model, check, action }: ModerationRules): ModerationSettings {
  const input = check?.includes('input') ?? true;
  const output = check?.includes('output') ?? true;
  return { model, input, output, action, operators: false };
}
