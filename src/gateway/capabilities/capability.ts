import type { PricedTokens } from '../../catalogue/token-rates.ts';
import type { SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { Connection, ParameterPolicy, UpstreamReceiver } from '../../providers/contract.ts';

/** What one request used, as the provider reported it: 0 where it reported none. */
export type TokenUsage = PricedTokens;

/** Of tokens alone; what more was used is added. */
export function tokensUsed(inputTokens: number, outputTokens: number): TokenUsage {
  return {
    inputTokens,
    outputTokens,
    cachedTokens: 0,
    reasoningTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
    imageInputTokens: 0,
    imageOutputTokens: 0,
  };
}

export interface ProviderCall {
  readonly model: string;
  readonly body: Buffer;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
}

/** An unstreamed answer, understood. */
export interface Answer {
  /** Null where the provider reported none that can be believed. */
  readonly usage: TokenUsage | null;
  readonly finishReason: string | null;
  /** What was produced, counted by us. */
  readonly estimatedOutputTokens: number;
  /** What a live watcher sees of it. */
  updates(): readonly CompletionUpdate[];
}

/** Relays a streamed answer in whole events and observes it on the way. */
export interface StreamRelay {
  /** As the provider told it; of an answer that is not over, with the output counted by us where that is more. */
  readonly usage: TokenUsage | null;
  /** Whether `usage` is not all the provider's own. */
  readonly isUsageEstimated: boolean;
  readonly finishReason: string | null;
  /** The provider marked the end. */
  readonly done: boolean;
  /** Set when the provider reported an error within its stream, or sent what cannot be relayed. */
  readonly failure: SluiceError | null;
  /** What has been produced so far, counted by us. */
  readonly estimatedOutputTokens: number;
  /** @returns what goes to the caller now, in whole events; null where there is nothing */
  push(bytes: Buffer): Buffer | null;
  /** The closing bytes, held back until the request is settled. */
  readonly closing: Buffer;
}

export interface StreamRelayOptions {
  readonly provider: string;
  /** Whether the caller asked for usage in the stream; it is hidden from one that did not. */
  readonly wantsUsage: boolean;
  /** USD as a decimal for `usage.cost`. */
  readonly priceOf: (usage: TokenUsage) => number;
  /** Set while somebody watches; told what the stream says, as it says it. */
  readonly watch: (update: CompletionUpdate) => void;
  readonly watched: () => boolean;
}

/** A kind of work on the one pipeline: how it is parsed, which units it uses, how it is rendered. */
export interface Capability<Request> {
  readonly name: string;
  /** The model asked for: told missing or unknown before any other fault. @throws SluiceError of status 400 */
  modelName(value: unknown): string;
  /** @throws SluiceError of status 400 */
  parse(value: unknown): Request;
  streamed(request: Request): boolean;
  wantsUsage(request: Request): boolean;
  /** Tokens set aside for the answer until it is settled; `ceiling` is the model's own maximum. */
  outputReserve(request: Request, ceiling: number | null): number;
  /** What of a request its answer depends on. */
  cacheable(request: Request): object;
  /** Whom the caller acts for, in the caller's own terms. */
  endUser(request: Request): string | null;
  /**
   * @returns the names of the parameters that the provider was not sent
   * @throws SluiceError of status 400
   */
  send(connection: Connection, request: Request, call: ProviderCall, receiver: UpstreamReceiver): readonly string[];
  relayStream(options: StreamRelayOptions): StreamRelay;
  /** @throws SluiceError provider_invalid_response */
  readAnswer(provider: string, body: Buffer): Answer;
}
