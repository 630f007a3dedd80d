import { SluiceError } from '../../../errors/index.ts';
import type { GenerationRequest, FunctionDeclaration, ToolChoice } from '../../canonical/generation-request.ts';
import { objectOf, textOf } from '../../canonical/json-members.ts';

/** Source: ai.google.dev/api/caching, FunctionCallingConfig. */
interface FunctionCallingConfig {
  /** VALIDATED: as AUTO, with arguments that satisfy the schema. */
  readonly mode: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED';
  readonly allowedFunctionNames?: readonly string[];
}

/** Google's function declaration; `parametersJsonSchema` supports all of JSON Schema, `parameters` only a part. */
interface GoogleFunction {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parametersJsonSchema?: unknown;
}

/** @throws SluiceError unsupported_value for a custom tool */
export function declaredFunctions({ tools, functions }: GenerationRequest): GoogleFunction[] {
  const declared = (tools ?? []).map((tool, index) => {
    if (tool.type !== 'function') throw onlyFunctions(`tools[${index}].type`);
    return googleFunction(tool.function);
  });
  return [...declared, ...(functions ?? []).map(googleFunction)];
}

function googleFunction({ name, description, parameters }: FunctionDeclaration): GoogleFunction {
  return { name, description: description ?? undefined, parametersJsonSchema: parameters ?? undefined };
}

/**
 * Encodes the tool choice; null if the request has none.
 * @throws SluiceError unsupported_value for a custom tool
 */
export function callingConfig(request: GenerationRequest): FunctionCallingConfig | null {
  const { tool_choice: choice, function_call: legacyChoice } = request;
  if (choice !== null && choice !== undefined) return chosen(choice, request);
  if (typeof legacyChoice === 'object' && legacyChoice) return only('ANY', [legacyChoice.name]);
  if (legacyChoice) return chosen(legacyChoice, request);
  return isStrict(request) ? { mode: 'VALIDATED' } : null;
}

function chosen(choice: ToolChoice, request: GenerationRequest): FunctionCallingConfig {
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  if (choice === 'auto') return { mode: isStrict(request) ? 'VALIDATED' : 'AUTO' };
  if (choice.type === 'custom') throw onlyFunctions('tool_choice.type');
  if (choice.type === 'function') return only('ANY', [choice.function.name]);
  const { mode, tools } = choice.allowed_tools;
  // AUTO does not support names.
  return only(mode === 'required' ? 'ANY' : 'VALIDATED', tools.map(allowedName));
}

function only(mode: 'ANY' | 'VALIDATED', allowedFunctionNames: readonly string[]): FunctionCallingConfig {
  return { mode, allowedFunctionNames };
}

/** In OpenAI's chat API `{"type":"function","function":{"name"}}`, in its Responses API `{"type":"function","name"}`. */
function allowedName(tool: Readonly<Record<string, unknown>>, index: number): string {
  const name = textOf(objectOf(tool.function)?.name) ?? textOf(tool.name);
  if (name === null)
    throw new SluiceError('invalid_value', {
      param: `tool_choice.allowed_tools.tools[${index}]`,
      values: { reason: 'it must name a function.' },
    });
  return name;
}

function isStrict({ tools }: GenerationRequest): boolean {
  return (tools ?? []).some((tool) => tool.type === 'function' && tool.function.strict === true);
}

function onlyFunctions(param: string): SluiceError {
  return new SluiceError('unsupported_value', {
    param,
    values: { reason: 'is custom: this provider has functions only.' },
  });
}
