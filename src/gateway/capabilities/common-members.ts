import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { isObject, toError, within, wrongType } from './fault.ts';
import { explainedPattern } from './validation-scalars.ts';

/** Text that is kept with the usage: the database takes neither NUL nor half a surrogate pair. */
const storable = explainedPattern(/^[^\0\p{Cs}]*$/u, 'it must hold neither a NUL character nor a lone surrogate.');
export const storedText = (longest: number) => z.string().max(longest).regex(storable);

/** A model's name is shown in headers too. */
const nameable = explainedPattern(
  /^[^\p{Cc}\p{Cs}]*$/u,
  'it must hold neither a control character nor a lone surrogate.',
);

/** Room for the longest `provider/vendor/model:tag` in use, several times over. */
const longestModelName = 256;

export const modelNameSchema = z
  .string()
  .max(longestModelName)
  .min(1)
  .regex(nameable)
  .describe('The model: `provider/model`, or its bare name.');

/**
 * The model's name alone, for the order of checks that clients notice: a missing or unknown model is told before any
 * other fault.
 * @throws SluiceError invalid_json | missing_model | invalid_type
 */
export function readModelName(body: unknown): string {
  if (!isObject(body)) throw toError(wrongType('an object', body));
  const model = body.model;
  if (model === undefined || model === null || model === '') throw new SluiceError('missing_model');
  if (typeof model !== 'string') throw toError(within('model', wrongType('a string', model)));
  return model;
}
