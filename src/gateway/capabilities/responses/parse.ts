import { decodeResponsesRequest } from '../../../protocols/responses/decode-request.ts';
import { responsesRequestSchema, type ResponsesRequest } from '../../../protocols/responses/decode-request/schema.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import { knownMembers } from '../known-members.ts';
import { assertMemberNames } from '../member-names.ts';

export { responsesRequestSchema, type ResponsesRequest };

export const responsesMembers = knownMembers(responsesRequestSchema, {
  conversation: { id: null },
  tool_choice: { tools: { type: null, name: null } },
  prompt: { id: null, version: null, variables: null },
});

/** @throws SluiceError of status 400, with the invalid member */
export function readResponsesRequest(input: RequestInput): ResponsesRequest {
  const body = valueOf(input);
  assertMemberNames(input, responsesMembers);
  return decodeResponsesRequest(body);
}
