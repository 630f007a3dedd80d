import { limitNesting, type EncodeBodyOptions, type EncodedRequest } from '../canonical/encode-options.ts';
import type { GenerationRequest } from '../canonical/generation-request.ts';
import { unsupportedParameters, refuseOrDrop } from '../canonical/parameter-policy.ts';
import { withAutomaticCaching } from './encode-request/automatic-caching.ts';
import { conversationOf, hasCompaction, hasUploads } from './encode-request/conversation.ts';
import { isObject, type JsonObject } from '../canonical/json-members.ts';
import type { ModelTraits } from './model-traits.ts';
import { betaNames, ownMembers, ownNames } from './encode-request/own-members.ts';
import { answerForm } from './encode-request/response-format.ts';
import { sampling } from './encode-request/sampling.ts';
import { thinkingOf } from './encode-request/thinking.ts';
import { toolMembers } from './encode-request/tools.ts';

/** Parameters that are encoded here, or checked by the functions that encode them. */
const supportedParams: ReadonlySet<string> = new Set([
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'reasoning_effort',
  'web_search_options',
  ...ownNames,
]);

/** Anthropic's `auto` uses priority capacity if the account has any. Source: platform.claude.com/docs/en/api/service-tiers. */
const serviceTiers: Readonly<Record<string, string>> = { auto: 'auto', default: 'standard_only', priority: 'auto' };

const MAX_USER_ID_LENGTH = 256;

export interface MessagesOptions extends EncodeBodyOptions {
  readonly traits: ModelTraits;
  /** Whether the prompt is marked to be cached, where the request has no marks of its own; false if absent. */
  readonly automaticCaching?: boolean;
}

export interface EncodedMessagesRequest extends EncodedRequest {
  /** For the header `anthropic-beta`. */
  readonly betas: readonly string[];
}

/**
 * Encodes a request of Anthropic's Messages API. Source: platform.claude.com/docs/en/api/messages.
 * @throws SluiceError of status 400 for what the API does not support
 */
export function encodeMessagesRequest(request: GenerationRequest, options: MessagesOptions): EncodedMessagesRequest {
  const { model, stream, traits } = options;
  const conversation = conversationOf(request.messages);
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? traits.maxTokens;
  const thinking = thinkingOf(request, traits, conversation, maxTokens);
  const sampled = sampling(request, traits, thinking.isOn);
  const tools = toolMembers(request, traits);
  const form = answerForm(request, traits);
  const stops = stopSequences(request);
  const dropped = refuseOrDrop(
    options.provider,
    [
      ...unsupportedParameters(request, (name) => supportedParams.has(name) || supportsValue(name, request)),
      ...(thinking.isSupported ? [] : ['reasoning_effort']),
      ...(form.isSupported ? [] : ['response_format']),
      ...(stops.all ? [] : ['stop']),
      ...sampled.unsupported,
      ...tools.unsupported,
    ],
    options.parameters,
  );
  const system = form.instruction ? [...conversation.system, form.instruction] : conversation.system;
  const output = {
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
    ...(form.format && { format: form.format }),
    ...(isObject(request.output_config) && request.output_config),
  };
  const body = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages: conversation.messages,
    ...(stream && { stream }),
    ...tools.members,
    ...sampled.members,
    ...(thinking.thinking && { thinking: thinking.thinking }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(stops.sequences.length > 0 && { stop_sequences: stops.sequences }),
    ...metadata(request),
    ...serviceTier(request),
    ...ownMembers(request),
  };
  const uses = {
    uploads: hasUploads(conversation),
    bindingControls: thinking.needsBindingControls,
    compaction: hasCompaction(conversation),
  };
  const marked = options.automaticCaching === true ? withAutomaticCaching(body) : body;
  return { body: limitNesting(() => JSON.stringify(marked)), betas: betaNames(request, uses), dropped };
}

/** Whether the value is supported, for parameters of which only some values are. */
function supportsValue(name: string, request: GenerationRequest): boolean {
  if (name === 'stop' || name === 'response_format') return true;
  if (name === 'service_tier') return Object.hasOwn(serviceTiers, String(request.service_tier));
  if (name === 'user' || name === 'safety_identifier') return userId(request) !== undefined;
  // The only label that Anthropic's own `metadata` has.
  return name === 'metadata' && Object.keys(request.metadata ?? {}).every((label) => label === 'user_id');
}

function metadata(request: GenerationRequest): JsonObject {
  const id = userId(request) ?? request.metadata?.user_id;
  return id === undefined ? {} : { metadata: { user_id: id } };
}

/** The newer member has precedence. Undefined for none, or one that exceeds Anthropic's limit. */
function userId({ safety_identifier: identifier, user }: GenerationRequest): string | undefined {
  const id = identifier ?? user ?? undefined;
  return id !== undefined && id.length <= MAX_USER_ID_LENGTH ? id : undefined;
}

/** Absent for a tier that Anthropic does not have. */
function serviceTier({ service_tier: tier }: GenerationRequest): JsonObject {
  return tier && Object.hasOwn(serviceTiers, tier) ? { service_tier: serviceTiers[tier] } : {};
}

/** Anthropic rejects blank ones. */
function stopSequences({ stop }: GenerationRequest): { readonly sequences: readonly string[]; readonly all: boolean } {
  const requested = typeof stop === 'string' ? [stop] : (stop ?? []);
  const sequences = requested.filter((sequence) => sequence.trim() !== '');
  return { sequences, all: sequences.length === requested.length };
}
