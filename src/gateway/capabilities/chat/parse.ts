import type { z } from 'zod';
import { readModelName } from '../common-members.ts';
import { compileValidator, type Validator } from '../validation.ts';
import { assertMembersAgree } from './agreement.ts';
import { chatRequestSchema, type ChatRequest } from './schema.ts';

const assertForm: Validator<z.input<typeof chatRequestSchema>> = compileValidator(chatRequestSchema);

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
