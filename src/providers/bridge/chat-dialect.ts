import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import type { ReasoningFormat } from '../../protocols/canonical/reasoning-details.ts';

/** Where a package keeps what a reasoning model must be shown again. */
export interface SignedReasoning {
  readonly format: ReasoningFormat;
  /** The name under which the package tells and takes what is only its provider's: a key of `providerMetadata`. */
  readonly namespace: string;
  /** Its member that signs readable reasoning, or a tool call. */
  readonly signature: string;
  /** Its members that stand for reasoning which nobody else can read. */
  readonly sealed: readonly string[];
}

/** What a provider's chat models take beside what all of them do, and what they do not. */
export interface ChatDialect {
  /** OpenAI's parameters, by name. */
  readonly supportedParams: readonly string[];
  /** Of those that it takes, the ones whose value here it does not. */
  readonly unsupportedParams?: (request: GenerationRequest, model: string) => readonly string[];
  /** Null where there is nothing to be shown again. */
  readonly reasoning: SignedReasoning | null;
  /** Whether instructions may stand further down than at the beginning; where not, they are moved up. */
  readonly supportsInterleavedInstructions: boolean;
  /** Whether calls and results in the history are refused, or lost, where no tools are given: they are told as text. */
  readonly requiresToolsForCalls: boolean;
  /** Whether it takes files of this kind, sent with the request. */
  readonly supportsFile: (mediaType: string) => boolean;
  /** Whether it fetches pictures by their URL. */
  readonly fetchesImages: boolean;
  /** What is said in the provider's own words, by the package's namespace. */
  readonly options?: (request: GenerationRequest, model: string) => SharedV4ProviderOptions;
}

/** OpenAI's parameters that the packages' common interface has a place for. */
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
