import { jsonBody } from '../examples.ts';
import { failures } from '../failures.ts';
import { answer, routed, type Operation } from '../parts.ts';
import type { SchemaName } from '../schema-name.ts';

/** A `POST` with a JSON request body and a JSON response. */
export function jsonOperation(
  described: Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags'>,
  request: SchemaName,
  answered: SchemaName,
): Operation {
  return {
    ...described,
    requestBody: { required: true, content: jsonBody(request) },
    responses: { '200': answer('The result.', answered, routed), ...failures },
  };
}
