import { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import { isObject } from '../json-members.ts';
import { toError, within, wrongType } from './fault.ts';
import { explainedPattern } from './scalars.ts';

/** Text stored with the usage: PostgreSQL accepts neither NUL nor a lone surrogate. */
const storable = explainedPattern(/^[^\0\p{Cs}]*$/u, 'it must contain neither a NUL character nor a lone surrogate.');
export const storedText = (longest: number) => z.string().max(longest).regex(storable);

/** A model's name is also sent in headers. */
const nameable = explainedPattern(
  /^[^\p{Cc}\p{Cs}]*$/u,
  'it must contain neither a control character nor a lone surrogate.',
);

/** Several times the longest `provider/vendor/model:tag` in use. */
const MAX_MODEL_NAME_LENGTH = 256;

export const modelNameSchema = z
  .string()
  .max(MAX_MODEL_NAME_LENGTH)
  .min(1)
  .regex(nameable)
  .describe('The model: `provider/model`, or its bare name.');

export const imageUrl = z
  .string()
  .regex(
    explainedPattern(/^([hH][tT]{2}[pP][sS]?|[dD][aA][tT][aA]):/, 'it must begin with https://, http:// or data:.'),
  )
  .describe('An http(s) URL, or the image itself as a data: URL.');

export const toolName = z
  .string()
  .regex(
    explainedPattern(
      /^[a-zA-Z0-9_-]{1,64}$/,
      'it must have 1 to 64 characters: letters, digits, underscores and hyphens.',
    ),
  );

/** OpenAI's limit. */
export const MAX_TOOLS = 128;

/**
 * Reads the model's name alone: a missing or unknown model is reported before any other error.
 * @throws SluiceError invalid_json | missing_model | invalid_type
 */
export function readModelName(body: unknown): string {
  if (!isObject(body)) throw toError(wrongType('an object', body));
  const model = body.model;
  if (model === undefined || model === null || model === '') throw new SluiceError('missing_model');
  if (typeof model !== 'string') throw toError(within('model', wrongType('a string', model)));
  return model;
}
