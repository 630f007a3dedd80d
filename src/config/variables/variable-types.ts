import { z } from 'zod';

const notInteger = {
  error: ({ code }: { readonly code: string }) => (code === 'invalid_type' ? 'must be an integer' : undefined),
};
export const integer = (max: number, min = 0) => z.coerce.number(notInteger).int(notInteger).min(min).max(max);
export const flag = z
  .enum(['on', 'off', 'true', 'false', '1', '0'])
  .transform((word) => ['on', 'true', '1'].includes(word));
export const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  });

/**
 * Text of docs/configuration.md.
 * @param defaultText of a variable whose default is not a constant
 */
export const docs = (description: string, defaultText?: string): { description: string; defaultText?: string } => ({
  description,
  ...(defaultText !== undefined && { defaultText }),
});

/** As `docs`, of a setting that `<NAME>_FILE` can name a file of. */
export const secret = (description: string, defaultText?: string): ReturnType<typeof docs> & { secret: true } => ({
  ...docs(description, defaultText),
  secret: true,
});
