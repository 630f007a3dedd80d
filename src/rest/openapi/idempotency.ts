import { failure } from './failures.ts';
import { replayed, type ResponseDefinition, type ErrorSchema, type Operation } from './parts.ts';

/** Source: the IETF draft "The Idempotency-Key HTTP Header Field", with Sluice's limits. */
export const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Identifies the request for 24 hours, for example a UUID. A repeated request with the same key and body returns the first response, without a second provider call or charge.',
};

const CONFLICT =
  'The `Idempotency-Key` was used before with a different body, or its response cannot be replayed. `code` contains the reason.';

/** An operation that accepts an `Idempotency-Key`. */
export function repeatable(operation: Operation, errors: ErrorSchema): Operation {
  const { parameters = [], responses } = operation;
  return {
    ...operation,
    parameters: [...parameters, { $ref: '#/components/parameters/IdempotencyKey' }],
    responses: {
      '409': failure('409', CONFLICT, errors),
      '429': failure('429', undefined, errors),
      ...responses,
      '200': withReplayed(responses['200']),
    },
  };
}

function withReplayed(answer: ResponseDefinition | undefined): ResponseDefinition {
  return { ...answer, headers: { ...answer?.headers, ...replayed } };
}
