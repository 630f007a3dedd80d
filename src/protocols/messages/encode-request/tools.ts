import { SluiceError } from '../../../errors/index.ts';
import type { GenerationRequest, FunctionDeclaration } from '../../canonical/generation-request.ts';
import { isObject, membersOf, type JsonObject } from '../../canonical/json-members.ts';
import type { ModelTraits } from '../model-traits.ts';
import { outputSchema } from './output-schema.ts';

/** Members of Anthropic's own tools, forwarded unchanged. */
const ownMembers = [
  'cache_control',
  'eager_input_streaming',
  'defer_loading',
  'allowed_callers',
  'input_examples',
] as const;

interface ToolMembers {
  readonly members: JsonObject;
  /** Paths of members that are not supported. */
  readonly unsupported: readonly string[];
}

/**
 * Encodes tools and the tool choice. Source: platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use.
 * @throws SluiceError unsupported_value
 */
export function toolMembers(request: GenerationRequest, traits: ModelTraits): ToolMembers {
  const unsupported: string[] = [];
  const allowed = allowedNames(request);
  const tools: JsonObject[] = [];
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (tool.type === 'custom') throw noCustomTools(`tools[${index}].type`);
    const declared = declaredTool(tool.function, tool, traits);
    if (tool.function.strict === true && !declared.strict) unsupported.push(`tools[${index}].function.strict`);
    if (allowed === null || allowed.has(tool.function.name)) tools.push(declared.tool);
  }
  for (const declaration of request.functions ?? []) tools.push(declaredTool(declaration, declaration, traits).tool);
  const search = webSearch(request);
  if (search) tools.push(search.tool);
  for (const name of search?.unsupported ?? []) unsupported.push(name);
  if (tools.length === 0) return { members: {}, unsupported };
  const choice = toolChoice(request);
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  if (isForced && !traits.canForceTools) unsupported.push(request.tool_choice ? 'tool_choice' : 'function_call');
  const supportedChoice = isForced && !traits.canForceTools ? { type: 'auto' } : choice;
  return { members: { tools, ...withParallelism(supportedChoice, request) }, unsupported };
}

/** Whether a tool call is required. */
export function forcesTool(request: GenerationRequest): boolean {
  const type = toolChoice(request)?.type;
  return type === 'any' || type === 'tool';
}

function declaredTool(
  declaration: FunctionDeclaration,
  source: object,
  traits: ModelTraits,
): { readonly tool: JsonObject; readonly strict: boolean } {
  const { name, description, parameters, strict } = declaration;
  const schema = { ...(parameters ?? { properties: {} }), type: 'object' };
  const strictSchema = strict === true && traits.structuredOutput ? outputSchema(schema) : null;
  const tool = {
    name,
    ...(description && { description }),
    input_schema: strictSchema ?? schema,
    ...(strictSchema && { strict: true }),
    ...own(declaration),
    ...own(source),
  };
  return { tool, strict: strictSchema !== null };
}

function own(source: object): JsonObject {
  const members = Object.entries(source).filter(([name]) => ownMembers.some((one) => one === name));
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** The names of `allowed_tools`; null if all are allowed. */
function allowedNames({ tool_choice: choice }: GenerationRequest): ReadonlySet<unknown> | null {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return null;
  return new Set(choice.allowed_tools.tools.map((tool) => (isObject(tool.function) ? tool.function.name : tool.name)));
}

function toolChoice({ tool_choice: choice, function_call: older }: GenerationRequest): JsonObject | null {
  if (choice === 'none' || choice === 'auto') return { type: choice };
  if (choice === 'required') return { type: 'any' };
  if (choice?.type === 'function') return { type: 'tool', name: choice.function.name };
  if (choice?.type === 'allowed_tools') return { type: choice.allowed_tools.mode === 'required' ? 'any' : 'auto' };
  if (choice?.type === 'custom') throw noCustomTools('tool_choice.type');
  if (older === 'none' || older === 'auto') return { type: older };
  return older ? { type: 'tool', name: older.name } : null;
}

/** Anthropic disables parallel calls in the tool choice. */
function withParallelism(choice: JsonObject | null, { parallel_tool_calls: parallel }: GenerationRequest): JsonObject {
  if (parallel === false && choice?.type !== 'none')
    return { tool_choice: { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true } };
  return choice === null ? {} : { tool_choice: choice };
}

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool. */
function webSearch({
  web_search_options: options,
}: GenerationRequest): { tool: JsonObject; unsupported: string[] } | null {
  if (!isObject(options)) return null;
  const location = isObject(options.user_location) ? options.user_location.approximate : null;
  const known = Object.entries(membersOf(location)).filter(
    ([name, value]) => typeof value === 'string' && ['city', 'region', 'country', 'timezone'].includes(name),
  );
  const userLocation = known.length > 0 ? { user_location: { type: 'approximate', ...Object.fromEntries(known) } } : {};
  const others = Object.entries(options).filter(([name, value]) => name !== 'user_location' && value !== null);
  return {
    tool: { type: 'web_search_20250305', name: 'web_search', ...userLocation },
    unsupported: others.map(([name]) => `web_search_options.${name}`),
  };
}

function noCustomTools(param: string): SluiceError {
  return new SluiceError('unsupported_value', {
    param,
    values: { reason: "is not supported: Claude's tools take JSON. Declare a function." },
  });
}
