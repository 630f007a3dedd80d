import type { z } from 'zod';
import { readModelName } from '../canonical/validation/common-members.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { assertMembersAgree } from './decode-request/agreement.ts';
import { chatRequestSchema, type ChatRequest } from './decode-request/schema.ts';

const assertSchema: Validator<z.input<typeof chatRequestSchema>> = compileValidator(chatRequestSchema);

/**
 * Validates a parsed JSON body and returns it uncopied.
 * @throws SluiceError of status 400, for the first invalid member in document order
 */
export function decodeChatRequest(body: unknown): ChatRequest {
  readModelName(body);
  assertSchema(body);
  assertMembersAgree(body);
  return body;
}
