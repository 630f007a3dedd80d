import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolChoice,
} from '@ai-sdk/provider';
import { SluiceError } from '../../errors/index.ts';
import type {
  GenerationRequest,
  FunctionDeclaration,
  ResponseFormat,
  ToolDeclaration,
} from '../../protocols/canonical/generation-request.ts';
import type { ChatDialect } from './chat-dialect.ts';
import { promptOf } from './prompt.ts';
import { ownMark, withAutomaticMarks } from './prompt-caching.ts';

/**
 * OpenAI's chat request as call options of the AI SDK, without the dropped parameters.
 * @throws SluiceError unsupported_value | invalid_value for content that the provider does not accept
 */
export function callOptions(
  provider: string,
  dialect: ChatDialect,
  original: GenerationRequest,
  model: string,
  dropped: readonly string[],
): LanguageModelV4CallOptions {
  const request = without(original, dropped);
  const { tools: declared, choice } = toolsOf(provider, dialect, request);
  const unmarked = promptOf(provider, dialect, request, declared.length > 0 && choice?.type !== 'none');
  const { prompt, tools } = withAutomaticMarks(dialect.caching, request, { prompt: unmarked, tools: declared });
  const topK = typeof request.top_k === 'number' ? request.top_k : undefined;
  const providerOptions = dialect.options?.(request, model);
  return {
    prompt,
    ...defined({
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      temperature: request.temperature ?? undefined,
      topP: request.top_p ?? undefined,
      topK,
      presencePenalty: request.presence_penalty ?? undefined,
      frequencyPenalty: request.frequency_penalty ?? undefined,
      seed: request.seed ?? undefined,
      stopSequences: stopsOf(request.stop),
      responseFormat: responseFormatOf(request.response_format),
      reasoning: request.reasoning_effort ?? undefined,
      tools: tools.length > 0 ? tools : undefined,
      toolChoice: tools.length > 0 ? choice : undefined,
      providerOptions: providerOptions && Object.keys(providerOptions).length > 0 ? providerOptions : undefined,
    }),
  };
}

function without(request: GenerationRequest, dropped: readonly string[]): GenerationRequest {
  if (dropped.length === 0) return request;
  return { ...request, ...Object.fromEntries(dropped.map((name) => [name, undefined])) };
}

/** Some packages distinguish an undefined member from an absent one. */
function defined<T extends object>(members: T): Partial<T> {
  const all: Partial<T> = { ...members };
  for (const name of keysOf(all)) if (all[name] === undefined) delete all[name];
  return all;
}

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value).filter((name): name is Extract<keyof T, string> => Object.hasOwn(value, name));
}

function stopsOf(stop: GenerationRequest['stop']): string[] | undefined {
  if (stop === null || stop === undefined) return undefined;
  const all = typeof stop === 'string' ? [stop] : [...stop];
  return all.length > 0 ? all : undefined;
}

function responseFormatOf(format: ResponseFormat | null | undefined): LanguageModelV4CallOptions['responseFormat'] {
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  const { name, description, schema } = format.json_schema;
  return {
    type: 'json',
    name,
    ...(typeof description === 'string' && { description }),
    ...(isSchema(schema) && { schema }),
  };
}

interface Tools {
  readonly tools: LanguageModelV4FunctionTool[];
  readonly choice: LanguageModelV4ToolChoice | undefined;
}

function toolsOf(provider: string, { caching }: ChatDialect, request: GenerationRequest): Tools {
  const marks = caching?.marksTools === true ? caching : null;
  const all = (request.tools ?? []).map((tool, index) => ({
    ...functionTool(declaration(provider, tool, index)),
    ...ownMark(marks, [tool]),
  }));
  for (const older of request.functions ?? []) all.push(functionTool(older));
  const choice = request.tool_choice ?? olderChoice(request.function_call);
  if (choice === null || choice === undefined) return { tools: all, choice: undefined };
  if (typeof choice === 'string') return { tools: all, choice: { type: choice } };
  if (choice.type === 'function') return { tools: all, choice: { type: 'tool', toolName: choice.function.name } };
  if (choice.type === 'custom') throw customTool(provider, 'tool_choice');
  const names = new Set(choice.allowed_tools.tools.map(allowedName));
  return { tools: all.filter(({ name }) => names.has(name)), choice: { type: choice.allowed_tools.mode } };
}

function declaration(provider: string, tool: ToolDeclaration, index: number): FunctionDeclaration {
  if (tool.type === 'custom') throw customTool(provider, `tools[${index}].type`);
  return tool.function;
}

function customTool(provider: string, param: string): SluiceError {
  return new SluiceError('unsupported_value', {
    param,
    values: { reason: `must not name a custom tool. Provider ${provider} supports functions only.` },
  });
}

function olderChoice(choice: GenerationRequest['function_call']): GenerationRequest['tool_choice'] {
  return typeof choice === 'object' && choice !== null ? { type: 'function', function: { name: choice.name } } : choice;
}

function allowedName(tool: Readonly<Record<string, unknown>>): string | null {
  const named = tool.function;
  return typeof named === 'object' && named !== null && 'name' in named && typeof named.name === 'string'
    ? named.name
    : null;
}

function functionTool({ name, description, parameters, strict }: FunctionDeclaration): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    inputSchema: isSchema(parameters) ? parameters : { type: 'object', properties: {} },
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function isSchema(value: unknown): value is JSONSchema7 {
  return typeof value === 'object' && value !== null;
}
