import { jsonBody } from './examples.ts';
import { failures } from './failures.ts';
import { answer, routed, type Operation } from './parts.ts';
import type { SchemaName } from './schemas.ts';

/** A `POST` of JSON that is answered with JSON. */
export function jsonOperation(
  told: Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags'>,
  request: SchemaName,
  answered: SchemaName,
): Operation {
  return {
    ...told,
    requestBody: { required: true, content: jsonBody(request) },
    responses: { '200': answer('The answer.', answered, routed), ...failures },
  };
}
