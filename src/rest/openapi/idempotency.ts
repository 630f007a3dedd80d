import { failure } from './failures.ts';
import { replayed, type Answer, type ErrorSchema, type Operation } from './parts.ts';

/** Source: the IETF draft "The Idempotency-Key HTTP Header Field", with limits of our own. */
export const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Names this request for 24 hours, such as a UUID: sent again with the same body, it gets the first answer, without a second call or charge.',
};

const CONFLICT =
  'The `Idempotency-Key` was used before: with another body, or its answer cannot be sent again. `code` says which.';

/** An operation that takes an `Idempotency-Key`. */
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

function withReplayed(answer: Answer | undefined): Answer {
  return { ...answer, headers: { ...answer?.headers, ...replayed } };
}
