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

/** What members of the chat are in a request. @param search its tool for web search; null for none */
export function memberNamesOf(
  { output_config: output, tools }: MessagesRequest,
  search: JsonObject | null,
): MemberNames {
  const hasEffort = Boolean(output?.effort);
  if (!hasEffort && search === null) return memberNames;
  const at = (tools ?? []).findIndex((tool) => tool === search);
  return {
    ...memberNames,
    ...(hasEffort && { reasoning_effort: 'output_config.effort' }),
    ...(at >= 0 && { web_search_options: `tools[${at}]` }),
  };
}
