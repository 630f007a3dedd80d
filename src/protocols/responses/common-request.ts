import { isObject, listOf, membersOf, textOf } from '../canonical/json-members.ts';

/** Types of tools that a client runs itself, other than functions, and of their items. */
const OPENAI_TOOL =
  /^(?:custom(?:_tool)?|namespace|tool_search|local_shell|shell|apply_patch)(?:_call|_call_output|_output)?$/;

const OPENAI_ITEMS: ReadonlySet<string> = new Set(['additional_tools', 'compaction', 'compaction_trigger']);

/**
 * Whether a request has only tools and items that other servers of the protocol accept: only OpenAI itself accepts those
 * that Codex sends. Sources: console.groq.com/docs/responses-api; openrouter.ai/docs/api/reference/responses/overview.
 */
export function isCommonRequest(value: unknown): boolean {
  const { tools, input } = membersOf(value);
  return [...listOf(tools), ...listOf(input)].every((each) => {
    const type = isObject(each) ? (textOf(each.type) ?? '') : '';
    return !OPENAI_TOOL.test(type) && !OPENAI_ITEMS.has(type);
  });
}
