import type { z } from 'zod';
import { SluiceError } from '../errors/index.ts';

/** @throws SluiceError bad_user_input, for the first invalid member */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue?.path.join('.') ?? '';
  throw new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${issue?.message ?? 'invalid'}` } });
}
