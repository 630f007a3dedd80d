import type {
  GenerationRequest,
  FunctionDeclaration,
  ToolChoice,
  ToolDeclaration,
} from '../../canonical/generation-request.ts';
import { isObject, type JsonObject } from '../../canonical/json-members.ts';

/** Encodes tools, web search included; null for none. Source: OpenAI's API document, Tool. */
export function responsesTools(request: GenerationRequest): JsonObject[] | null {
  const tools = [
    ...(request.tools ?? []).map((tool) => (tool.type === 'function' ? functionTool(tool.function) : customTool(tool))),
    ...(request.functions ?? []).map(functionTool),
  ];
  if (isObject(request.web_search_options)) tools.push(webSearch(request.web_search_options));
  return tools.length > 0 ? tools : null;
}

/** Undefined for none. */
export function responsesToolChoice({ tool_choice: choice, function_call: older }: GenerationRequest): unknown {
  if (choice !== undefined && choice !== null) return flatChoice(choice);
  if (typeof older === 'object' && older !== null) return { type: 'function', name: older.name };
  return older ?? undefined;
}

/** By default, a function of chat is not strict and has no parameters; in Responses, both defaults differ. */
function functionTool(declared: FunctionDeclaration): JsonObject {
  const { description, parameters, strict } = declared;
  return {
    ...declared,
    description: description ?? undefined,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
    type: 'function',
  };
}

function customTool({ custom }: Extract<ToolDeclaration, { type: 'custom' }>): JsonObject {
  const declared: JsonObject = { ...custom };
  const { description, format } = declared;
  return {
    ...declared,
    description: description ?? undefined,
    format:
      isObject(format) && isObject(format.grammar) ? { ...format.grammar, type: 'grammar' } : (format ?? undefined),
    type: 'custom',
  };
}

function webSearch({ search_context_size: size, user_location: location }: JsonObject): JsonObject {
  return {
    type: 'web_search',
    search_context_size: size ?? undefined,
    user_location:
      isObject(location) && isObject(location.approximate)
        ? { ...location.approximate, type: 'approximate' }
        : undefined,
  };
}

function flatChoice(choice: ToolChoice): unknown {
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'allowed_tools') return flatReference(choice);
  const { mode, tools } = choice.allowed_tools;
  return { type: 'allowed_tools', mode, tools: tools.map(flatReference) };
}

/** Converts `{type, function: {name}}` to `{type, name}`; other values are forwarded. */
function flatReference(reference: JsonObject): JsonObject {
  const inner = reference.type === 'custom' ? reference.custom : reference.function;
  return isObject(inner) ? { type: reference.type, name: inner.name } : reference;
}
