import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import type { PromptCaching } from './prompt-caching.ts';
import type { ReasoningFormat } from '../../protocols/canonical/reasoning-details.ts';

/** Where a package stores the parts of reasoning that must be sent back to its provider. */
export interface SignedReasoning {
  readonly format: ReasoningFormat;
  /** The namespace of the package's provider-specific data: a key of `providerMetadata`. */
  readonly namespace: string;
  /** The member with the signature of readable reasoning, or of a tool call. */
  readonly signature: string;
  /** The members with encrypted reasoning. */
  readonly sealed: readonly string[];
}

/** Differences between the chat models of a provider and those of the AI SDK's common interface. */
export interface ChatDialect {
  /** Supported OpenAI parameters, by name. */
  readonly supportedParams: readonly string[];
  /** Supported parameters whose value is not supported for this model. */
  readonly unsupportedParams?: (request: GenerationRequest, model: string) => readonly string[];
  /** Null where no reasoning has to be sent back. */
  readonly reasoning: SignedReasoning | null;
  /** Whether system messages may follow other messages; otherwise they are moved to the beginning. */
  readonly supportsInterleavedInstructions: boolean;
  /**
   * Whether tool calls and results in the history are rejected, or lost, where the request has no tools: they are sent
   * as text.
   */
  readonly requiresToolsForCalls: boolean;
  /** Whether it accepts files of this kind as bytes. */
  readonly supportsFile: (mediaType: string) => boolean;
  /** Whether it fetches images by their URL. */
  readonly fetchesImages: boolean;
  /** How prompts are cached; null or absent where nothing can be marked. */
  readonly caching?: PromptCaching | null;
  /** Provider-specific options, by the package's namespace. */
  readonly options?: (request: GenerationRequest, model: string) => SharedV4ProviderOptions;
}

/** OpenAI parameters that the AI SDK's common interface supports. */
export const commonParameters: ReadonlySet<string> = new Set([
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'response_format',
  'reasoning_effort',
]);
