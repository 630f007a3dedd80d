import type { JsonObject } from '../../canonical/json-members.ts';
import type { MemberNames } from '../../canonical/request/member-names.ts';
import type { MessagesRequest } from './schema.ts';

const memberNames: MemberNames = {
  max_completion_tokens: 'max_tokens',
  stop: 'stop_sequences',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  response_format: 'output_config.format',
  reasoning_effort: 'thinking',
  user: 'metadata.user_id',
};

/** What members of the chat are in a request. */
export function namesOf({ output_config: output, tools }: MessagesRequest, search: JsonObject | null): MemberNames {
  const effort = output?.effort ? { reasoning_effort: 'output_config.effort' } : null;
  const at = search === null ? -1 : (tools ?? []).findIndex((tool) => tool === search);
  return { ...memberNames, ...effort, ...(at >= 0 && { web_search_options: `tools[${at}]` }) };
}
