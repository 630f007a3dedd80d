import { chatRequestSchema } from '../../../protocols/chat-completions/decode-request/schema.ts';
import { objectRules } from '../../../protocols/chat-completions/provider-objects.ts';
import { knownMembers, type MemberTree } from '../known-members.ts';

export { chatRequestSchema };

/** Members of other servers' APIs that select a model or a price. */
const choosing: MemberTree = {
  models: null,
  route: null,
  provider: { order: null, only: null, ignore: null, allow_fallbacks: null, sort: null, max_price: {} },
  plugins: { id: null, model: null, models: null },
  preset: null,
  prompt: { id: null, version: null, variables: null },
  speed: null,
  inference_geo: null,
};

/** Members of other servers' APIs that are supported. */
const read: MemberTree = {
  betas: null,
  container: null,
  context_management: null,
  mcp_servers: null,
  output_config: null,
  reasoning: { effort: null, max_tokens: null, enabled: null, exclude: null },
  thinking: { type: null, budget_tokens: null },
  top_k: null,
};

/** In messages: reasoning and prompt caching. */
const messages: MemberTree = {
  reasoning: null,
  reasoning_content: null,
  reasoning_details: null,
  cache_control: null,
  content: { cache_control: null },
};

const others: MemberTree = {
  ...choosing,
  ...read,
  messages,
  tools: { cache_control: null },
  tool_choice: { allowed_tools: { tools: { type: null, function: { name: null }, custom: { name: null } } } },
};

/** The members of a chat request: those of its schema and those of compatible servers. */
export const chatMembers = knownMembers(chatRequestSchema, others, objectRules);
