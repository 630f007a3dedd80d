import { limitNesting, type EncodedRequest, type EncodeOptions } from '../canonical/encode-options.ts';
import type { GenerationRequest } from '../canonical/generation-request.ts';
import { unsupportedParameters, refuseOrDrop } from '../canonical/parameter-policy.ts';
import { conversationOf } from './encode-request/conversation.ts';
import { generationConfig } from './encode-request/generation-config.ts';
import { googleMembers, googleNames, type GoogleMembers } from './encode-request/google-members.ts';
import type { ModelTraits } from './model-traits.ts';
import { thinkingConfig } from './encode-request/thinking.ts';
import { callingConfig, declaredFunctions } from './encode-request/tools.ts';
import type { JsonObject } from '../canonical/json-members.ts';

/** Parameters that every model supports. */
const supportedParams: ReadonlySet<string> = new Set([
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'n',
  'stop',
  'seed',
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'response_format',
  'web_search_options',
  ...googleNames,
]);

const serviceTiers: Readonly<Record<string, string>> = { default: 'standard', flex: 'flex', priority: 'priority' };

export interface GeminiOptions extends EncodeOptions {
  readonly traits: ModelTraits;
}

/**
 * Encodes Google's GenerateContentRequest. Source: ai.google.dev/api/generate-content.
 * @throws SluiceError of status 400 for what the API does not support
 */
export function encodeGeminiRequest(
  request: GenerationRequest,
  { provider, parameters, traits }: GeminiOptions,
): EncodedRequest {
  const google = googleMembers(request);
  const refused = [
    ...unsupportedParameters(request, (name) => supportedParams.has(name) || supportsValue(name, request, traits)),
    ...unsupportedSearchOptions(request),
    ...google.unsupported,
  ];
  const dropped = refuseOrDrop(provider, refused, parameters);
  return { body: limitNesting(() => JSON.stringify(bodyOf(request, google, traits))), dropped };
}

function bodyOf(request: GenerationRequest, google: GoogleMembers, traits: ModelTraits): JsonObject {
  const generation = { ...generationConfig(request, traits), ...google.generation };
  return {
    ...conversationOf(request.messages, traits),
    ...toolMembers(request, google, traits),
    ...(Object.keys(generation).length > 0 && { generationConfig: generation }),
    ...serviceTier(request),
    ...google.request,
  };
}

/** Whether the value is supported, for parameters whose values depend on the model. */
function supportsValue(name: string, request: GenerationRequest, traits: ModelTraits): boolean {
  if (name === 'presence_penalty' || name === 'frequency_penalty') return traits.supportsPenalties;
  if (name === 'top_k') return typeof request.top_k === 'number';
  if (name === 'service_tier') return Object.hasOwn(serviceTiers, String(request.service_tier));
  if (name === 'reasoning_effort')
    return !request.reasoning_effort || thinkingConfig(request.reasoning_effort, traits) !== null;
  return false;
}

/** Google's search has no options. */
function unsupportedSearchOptions({ web_search_options: options }: GenerationRequest): string[] {
  if (typeof options !== 'object' || options === null) return [];
  return Object.entries(options)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name]) => `web_search_options.${name}`);
}

function toolMembers(request: GenerationRequest, google: GoogleMembers, traits: ModelTraits): JsonObject {
  const functions = declaredFunctions(request);
  const builtIn = [...(request.web_search_options ? [{ googleSearch: {} }] : []), ...google.tools];
  const tools = [...builtIn, ...(functions.length > 0 ? [{ functionDeclarations: functions }] : [])];
  const calling = functions.length > 0 ? callingConfig(request) : null;
  const toolConfig = {
    ...(calling && { functionCallingConfig: calling }),
    // Required to combine built-in tools with functions.
    ...(traits.mixesTools && functions.length > 0 && builtIn.length > 0 && { includeServerSideToolInvocations: true }),
    ...google.toolConfig,
  };
  return {
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
  };
}

function serviceTier({ service_tier: tier }: GenerationRequest): JsonObject {
  return tier && Object.hasOwn(serviceTiers, tier) ? { serviceTier: serviceTiers[tier] } : {};
}
