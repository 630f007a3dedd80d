import { SluiceError } from '../../errors/index.ts';
import type { MemberNames } from '../canonical/request/member-names.ts';
import { isObject, type JsonObject } from '../canonical/json-members.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { camelCased } from './decode-request/camel-case.ts';
import { DecodedContents } from './decode-request/conversation.ts';
import { geminiRequestSchema, type GeminiRequest } from './decode-request/schema.ts';
import { droppedSettings, lowerCased, settingsOf } from './decode-request/settings.ts';

const assertSchema: Validator<GeminiRequest> = compileValidator(geminiRequestSchema);

/** Members that are converted. */
const converted: ReadonlySet<string> = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'cachedContent',
]);

export interface DecodedGemini {
  /** A chat request without its model, not validated yet. */
  readonly chat: JsonObject;
  /** Paths of what has no equivalent in it. */
  readonly dropped: readonly string[];
  /** What members of the chat are in the request. */
  readonly memberNames: MemberNames;
  /** Why it cannot be converted; null where it can. */
  readonly refusal: SluiceError | null;
}

/**
 * Validates a request of Google's Gemini API and decodes it to a chat. Source: ai.google.dev/api/generate-content.
 * @throws SluiceError of status 400, naming the invalid member
 */
export function decodeGeminiRequest(body: unknown): DecodedGemini {
  const request = camelCased(body);
  if (!isObject(request)) throw new SluiceError('invalid_json', { values: { reason: 'the body must be an object' } });
  assertSchema(request);
  const { messages, dropped } = new DecodedContents(request);
  const { functions, hasSearch, unknown } = toolsOf(request);
  const others = Object.entries(request).filter(([name, value]) => !converted.has(name) && value !== null);
  const { cachedContent } = request;
  return {
    chat: {
      messages: messages.length === 0 ? [{ role: 'user', content: '' }] : messages,
      ...settingsOf(request),
      ...(functions.length > 0 && { tools: functions, ...choiceOf(request) }),
      ...(hasSearch && { web_search_options: {} }),
    },
    dropped: [...others.map(([name]) => name), ...droppedSettings(request), ...unknown, ...dropped],
    memberNames,
    refusal: typeof cachedContent === 'string' ? cannotRead('cachedContent') : null,
  };
}

const memberNames: MemberNames = {
  max_completion_tokens: 'generationConfig.maxOutputTokens',
  temperature: 'generationConfig.temperature',
  top_p: 'generationConfig.topP',
  top_k: 'generationConfig.topK',
  n: 'generationConfig.candidateCount',
  stop: 'generationConfig.stopSequences',
  seed: 'generationConfig.seed',
  presence_penalty: 'generationConfig.presencePenalty',
  frequency_penalty: 'generationConfig.frequencyPenalty',
  logprobs: 'generationConfig.responseLogprobs',
  top_logprobs: 'generationConfig.logprobs',
  response_format: 'generationConfig.responseSchema',
  reasoning_effort: 'generationConfig.thinkingConfig',
  tool_choice: 'toolConfig',
  web_search_options: 'tools.googleSearch',
};

/** The text that the content stands for is not known here. */
function cannotRead(param: string): SluiceError {
  return new SluiceError('unsupported_value', {
    param,
    values: { reason: 'is only known to the provider that holds it.' },
  });
}

interface Tools {
  readonly functions: readonly JsonObject[];
  readonly hasSearch: boolean;
  /** Paths of tools that only Google has. */
  readonly unknown: readonly string[];
}

function toolsOf({ tools }: GeminiRequest): Tools {
  const functions: JsonObject[] = [];
  const unknown: string[] = [];
  let hasSearch = false;
  for (const [index, tool] of (tools ?? []).entries()) {
    for (const { name, description, parameters, parametersJsonSchema } of tool.functionDeclarations ?? [])
      functions.push({
        type: 'function',
        function: {
          name,
          ...(description && { description }),
          ...((parametersJsonSchema ?? parameters) && { parameters: lowerCased(parametersJsonSchema ?? parameters) }),
        },
      });
    for (const [name, value] of Object.entries(tool)) {
      if (name === 'googleSearch') hasSearch = true;
      else if (name !== 'functionDeclarations' && value !== null) unknown.push(`tools[${index}].${name}`);
    }
  }
  return { functions, hasSearch, unknown };
}

function choiceOf({ toolConfig }: GeminiRequest): JsonObject {
  const { mode, allowedFunctionNames: names } = toolConfig?.functionCallingConfig ?? {};
  switch (mode) {
    case 'NONE':
      return { tool_choice: 'none' };
    case 'ANY':
    case 'VALIDATED': {
      const required = mode === 'ANY' ? 'required' : 'auto';
      if (!names || names.length === 0) return { tool_choice: required };
      const tools = names.map((name) => ({ type: 'function', function: { name } }));
      const [only] = tools;
      if (tools.length === 1 && mode === 'ANY') return { tool_choice: only };
      return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: required, tools } } };
    }
    case 'AUTO':
      return { tool_choice: 'auto' };
    default:
      return {};
  }
}
