import type { z } from 'zod';
import { readModelName } from '../common-members.ts';
import { compileValidator, type Validator } from '../validation.ts';
import { assertMembersAgree } from './agreement.ts';
import { chatRequestSchema, type ChatRequest } from './schema.ts';

const assertSchema: Validator<z.input<typeof chatRequestSchema>> = compileValidator(chatRequestSchema);

/**
 * Validates a parsed JSON body and returns it uncopied.
 * @throws SluiceError of status 400, for the first invalid member in document order
 */
export function parseChatRequest(body: unknown): ChatRequest {
  readModelName(body);
  assertSchema(body);
  assertMembersAgree(body);
  return body;
}
