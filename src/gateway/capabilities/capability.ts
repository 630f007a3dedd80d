import { formatUsd } from '../../catalogue/prices/price.ts';
import type { PricedTokens } from '../../catalogue/prices/token-rates.ts';
import { SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { GenerationResult } from '../../protocols/canonical/generation-result.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { StreamPart } from '../../protocols/canonical/stream-part.ts';
import type { ChatReceiver, Connection } from '../../providers/contract.ts';
import type { ParameterPolicy } from '../../protocols/canonical/parameter-policy.ts';
import type { ModerationSupport } from './moderation-support.ts';
import type { ChatMessage } from '../../protocols/canonical/generation-request.ts';
import type { AccountReasoning } from '../reasoning/account-reasoning.ts';
import type { RecordingSupport } from '../answer-recording.ts';
import type { PublicAddress } from '../client-response.ts';
import type { CompleteOutput, RelayedOutput } from '../relayed-output.ts';
import type { RequestInput } from '../request-input.ts';
import type { Requester } from '../keys/key-directory.ts';
import type { Router } from '../routing/resolved-route.ts';
import type { KnownMembers } from './known-members.ts';
import type { Outline } from './outline.ts';
import type { Retained } from './retained.ts';

/** The usage of one request as the provider reported it; 0 where it reported none. */
export type TokenUsage = PricedTokens;

export { mediaUsage, tokenUsage } from '../../catalogue/prices/priced-usage.ts';

export interface ProviderCall {
  readonly model: string;
  /** Null for a multipart form. */
  readonly body: Buffer | null;
  /** The outline that the request was parsed from; null where it was parsed completely. */
  readonly outline: Outline | null;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
  readonly accountId: string;
  readonly zeroRetention: boolean;
  /** Whether the response is stored here, so that no provider is to store it. */
  readonly isStored: boolean;
  readonly publicAddress: PublicAddress;
  /** Signed reasoning of earlier responses; null where none is stored or the provider reads none. */
  readonly reasoning: AccountReasoning | null;
}

/** Prices usage at the target that serves the request. */
export interface Pricing {
  /** In nano-USD. */
  costOf(usage: TokenUsage): bigint;
}

/** The cost in USD, as `usage.cost` of a stream reports it. */
export function usdOf(pricing: Pricing, usage: TokenUsage): number {
  return Number(formatUsd(pricing.costOf(usage)));
}

/** A parsed unstreamed response. */
export interface ParsedResponse {
  /** Null where the provider reported no plausible usage. */
  readonly usage: TokenUsage | null;
  /** Whether part of `usage` is estimated; false if absent. */
  readonly isUsageEstimated?: boolean;
  readonly finishReason: string | null;
  /** Sluice's own estimate of the output. It may take parsing the response, and is only read where usage is missing. */
  readonly estimatedOutputTokens: number;
  /** JSON where absent. */
  readonly contentType?: string;
  /** The response as updates for live subscribers. */
  updates(): readonly CompletionUpdate[];
}

/** A response that the provider delivered as a result. */
export interface ResponseWithOutput {
  readonly response: ParsedResponse;
  readonly output: CompleteOutput;
}

/** Relays a stream in complete events and observes its usage. */
export interface StreamRelay {
  /** Content type of the response to the client. */
  readonly contentType: string;
  /** As the provider reported it; of an unfinished stream, with the estimated output where that is larger. */
  readonly usage: TokenUsage | null;
  /** Whether part of `usage` is estimated. */
  readonly isUsageEstimated: boolean;
  readonly finishReason: string | null;
  /** Whether the bytes received so far form a complete response. */
  readonly isComplete: boolean;
  /** Whether the provider sent its end mark. */
  readonly done: boolean;
  /** Set when the provider reported an error within its stream, or sent bytes that cannot be relayed. */
  readonly failure: SluiceError | null;
  /** Sluice's own estimate of the output so far. */
  readonly estimatedOutputTokens: number;
  /** The usage, where it is known before the stream ends; null or absent otherwise. */
  readonly usageAtHead?: TokenUsage | null;
  /** @returns complete events for the client; null for none */
  push(bytes: Buffer): RelayedOutput | null;
  /** The same of a stream that is delivered as parts; absent where none is. */
  pushParts?(parts: readonly StreamPart[]): RelayedOutput | null;
  /** The closing bytes, sent after settlement. */
  readonly closing: Buffer;
}

export interface StreamRelayOptions<Summary = null> {
  readonly provider: string;
  /** Content type of the provider's response. */
  readonly contentType: string;
  readonly summary: Summary;
  /** Whether the client requested usage in the stream; it is removed otherwise. */
  readonly wantsUsage: boolean;
  readonly pricing: Pricing;
  /** Receives the updates of the stream while `watched` returns true. */
  readonly watch: (update: CompletionUpdate) => void;
  readonly watched: () => boolean;
}

/**
 * A kind of request that the pipeline runs: how it is parsed, metered and rendered. `Summary` is what the cost
 * and the response depend on. It stays in memory while the response runs, when the request itself does not, so it is
 * small.
 */
export interface Capability<Request, Summary = null> {
  /** Its name in the catalogue. */
  readonly name: string;
  /** The protocol of text generation that its client speaks; absent for other capabilities. */
  readonly protocol?: ProtocolName;
  /** Known members of its bodies: one that is misspelled or duplicated is refused. */
  readonly members: KnownMembers;
  /** The requested model, or the default. An unknown one is the first error reported. @throws SluiceError of status 400 */
  modelName(value: unknown, models: Router, requester: Requester): string;
  /** @throws SluiceError of status 400 */
  parse(value: unknown): Request;
  /** The value of a body that was parsed before, once; null for another. Absent where none is. */
  takeValue?(input: RequestInput): unknown;
  /** Whether a long body can be admitted by its outline; absent where it is parsed completely. */
  readonly outlined?: boolean;
  summarize(request: Request): Summary;
  /** An estimate for bodies whose length says little about their tokens. */
  inputTokens?(request: Request): number;
  /** Bytes of the body that a provider receives again with each of several calls; 0 if absent. */
  repeatedBytes?(request: Request): number;
  streamed(request: Request): boolean;
  /** Maximum bytes of an unstreamed response; 64 MiB if absent. */
  readonly maxResponseBytes?: number;
  wantsUsage(request: Request): boolean;
  /** Output tokens to reserve until settlement; `ceiling` is the model's own maximum. */
  outputReserve(request: Request, ceiling: number | null): number;
  /**
   * The maximum usage, reserved against budgets; if absent, four times the estimated input and the output reserve.
   * `ceiling` is the model's maximum output.
   */
  maxUsage?(request: Request, ceiling: number | null): TokenUsage;
  /** Whether `maxUsage` bounds a complete stream and not only its first step; false if absent. */
  isBounded?(request: Request): boolean;
  /** Adds an output limit to a body without one; absent where output cannot be limited. */
  withMaxOutput?(body: Buffer, tokens: number): Buffer;
  /** The messages of a chat, whose signed reasoning the client may not have sent back; absent where requests are no chats. */
  messages?(request: Request): readonly ChatMessage[];
  /** The members that the response depends on; null where responses are not cached. */
  cacheable(request: Request): object | null;
  /** Content that the request would retain after its response, and the alternative; absent where none does. */
  retained?(request: Request): Retained | null;
  /** How its responses are stored; absent where none is. */
  readonly recording?: RecordingSupport<Request>;
  /** The protocol in which a connection is sent the request: as `Connection.fetchedMedia`; absent where requests are no chats. */
  sentProtocol?(connection: Connection, request: Request, model: string): ProtocolName;
  /**
   * Identifies the conversation that a request continues; absent where requests are no conversations.
   * @param inputTokens estimated
   * @returns null for a prompt that no provider caches
   */
  conversation?(request: Request, inputTokens: number): string | null;
  /** The client's end user, as the client names it. */
  endUser(request: Request): string | null;
  /** Tags in the request's body; absent where it can have none. */
  tags?(request: Request): Readonly<Record<string, string>> | null;
  /**
   * @returns the names of the parameters that the provider was not sent
   * @throws SluiceError of status 400
   */
  send(connection: Connection, request: Request, call: ProviderCall, receiver: ChatReceiver): readonly string[];
  /** Null where the provider's response is not a stream of this kind. */
  relayStream(options: StreamRelayOptions<Summary>): StreamRelay | null;
  /** @throws SluiceError provider_invalid_response */
  parseResponse(provider: string, body: Buffer, summary: Summary, pricing: Pricing): ParsedResponse;
  /** The same of a response that is delivered as a result; absent where none is. */
  readResult?(result: GenerationResult): ResponseWithOutput;
  /** How its content is moderated; absent where it cannot be. */
  readonly moderation?: ModerationSupport<Request>;
  /** Usage of a request that was sent and whose client disconnected before the response; its tokens if absent. */
  usageWithoutResponse?(summary: Summary, inputTokens: number, pricing: Pricing): TokenUsage;
}

/** @throws SluiceError capability_not_supported */
export function notSupported(connection: Connection, capability: string): never {
  throw new SluiceError('capability_not_supported', { values: { provider: connection.provider, capability } });
}
