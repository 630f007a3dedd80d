import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { isObject } from '../canonical/json-members.ts';
import { readModelName } from '../canonical/validation/common-members.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { inputItem, type InputItem } from './decode-request/items.ts';
import { responsesRequestSchema, type ResponsesRequest } from './decode-request/schema.ts';

const assertSchema: Validator<z.input<typeof responsesRequestSchema>> = compileValidator(responsesRequestSchema);

const assertItems: Validator<InputItem[]> = compileValidator(z.array(inputItem));

/** Unsupported members: ignoring them would change the request. */
const unsupported: Readonly<Record<string, string>> = {
  prompt: 'is not supported: OpenAI stores the prompt. Send its text as `instructions` or `input`.',
};

/**
 * Validates a parsed JSON body and converts its `input` to typed items.
 * @throws SluiceError of status 400, with the invalid member
 */
export function decodeResponsesRequest(body: unknown): ResponsesRequest {
  readModelName(body);
  if (!isObject(body)) throw new SluiceError('invalid_json', { values: { reason: 'the body must be an object' } });
  // A conversation that is kept here was replaced by its items before.
  if (body.conversation !== undefined && body.conversation !== null)
    throw new SluiceError('not_found', { param: 'conversation', values: { what: 'conversation' } });
  for (const [param, reason] of Object.entries(unsupported))
    if (body[param] !== undefined && body[param] !== null)
      throw new SluiceError('unsupported_value', { param, values: { reason } });
  if (body.input === undefined || body.input === null || isEmpty(body.input)) {
    if (typeof body.previous_response_id !== 'string')
      throw new SluiceError('missing_required_parameter', { param: 'input' });
  }
  const request: unknown = { ...body, input: itemsOf(body.input ?? []) };
  assertSchema(request);
  requireStored(request);
  return request;
}

/** @throws SluiceError invalid_value for a background response that is not to be stored */
export function requireStored({
  background,
  store,
}: {
  readonly background?: unknown;
  readonly store?: unknown;
}): void {
  if (background !== true || store !== false) return;
  throw new SluiceError('invalid_value', {
    param: 'background',
    values: { reason: "it is only allowed when 'store' is true." },
  });
}

/** Input as items, not validated yet. */
export function itemsOf(input: unknown): unknown {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown) =>
    isObject(item) && item.type === undefined && item.role !== undefined ? { type: 'message', ...item } : item,
  );
}

/** Validates stored items. @throws SluiceError of status 400 */
export function decodeInputItems(items: unknown): readonly InputItem[] {
  assertItems(items);
  return items;
}

function isEmpty(input: unknown): boolean {
  return Array.isArray(input) && input.length === 0;
}
