import { SluiceError } from '../../../errors/index.ts';
import { decodeResponsesRequest } from '../../../protocols/responses/decode-request.ts';
import { responsesRequestSchema, type ResponsesRequest } from '../../../protocols/responses/decode-request/schema.ts';
import { objectRules } from '../../../protocols/responses/decode-request/object-rules.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import { knownMembers } from '../known-members.ts';
import { assertMemberNames } from '../member-names.ts';

export { responsesRequestSchema, type ResponsesRequest };

const others = {
  conversation: { id: null },
  tool_choice: { tools: { type: null, name: null } },
  prompt: { id: null, version: null, variables: null },
};

export const responsesMembers = knownMembers(responsesRequestSchema, others, objectRules);

/** @throws SluiceError of status 400, with the invalid member */
export function readResponsesRequest(input: RequestInput): ResponsesRequest {
  const body = valueOf(input);
  assertMemberNames(input, responsesMembers);
  return decodeResponsesRequest(body);
}

/** A conversation that another provider holds is missing in what is converted. */
export function unknownResponse({ previous_response_id: id }: ResponsesRequest): SluiceError | null {
  return typeof id === 'string'
    ? new SluiceError('previous_response_not_found', { param: 'previous_response_id', values: { id } })
    : null;
}
