import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import { isObject, toError, within, wrongType } from '../fault.ts';
import { compileValidator, type Validator } from '../validation.ts';
import { assertMembersAgree } from './agreement.ts';
import { chatRequestSchema, type ChatRequest } from './schema.ts';

const assertForm: Validator<z.input<typeof chatRequestSchema>> = compileValidator(chatRequestSchema);

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

/**
 * Holds a parsed JSON body to every bound of the reference and returns it as it is, uncopied.
 * @throws SluiceError of status 400, with the member at fault: the first in the document's order
 */
export function parseChatRequest(body: unknown): ChatRequest {
  readModelName(body);
  assertForm(body);
  assertMembersAgree(body);
  return body;
}
