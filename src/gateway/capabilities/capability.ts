import { formatUsd } from '../../catalogue/price.ts';
import type { PricedTokens } from '../../catalogue/token-rates.ts';
import { SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { Connection, ParameterPolicy, UpstreamReceiver } from '../../providers/contract.ts';
import type { ModerationSupport } from '../moderation-guard/moderation-support.ts';
import type { AccountReasoning } from '../reasoning/account-reasoning.ts';
import type { ReachedAt } from '../outlet.ts';
import type { Router } from '../routing/resolved-route.ts';
import type { KnownMembers } from './known-members.ts';
import type { Outline } from './outline.ts';

/** What one request used, as the provider reported it: 0 where it reported none. */
export type TokenUsage = PricedTokens;

export { mediaUsed, tokensUsed } from '../../catalogue/used.ts';

export interface ProviderCall {
  readonly model: string;
  /** Null for a form. */
  readonly body: Buffer | null;
  /** Where the request that comes with it is one of its outline; null where it is whole. */
  readonly outline: Outline | null;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
  readonly accountId: string;
  readonly zeroRetention: boolean;
  readonly reachedAt: ReachedAt;
  /** Signed reasoning of earlier answers; null where none is kept, or none is read. */
  readonly reasoning: AccountReasoning | null;
}

/** Content that a request would leave behind, as `zero_retention` names it. */
export interface Retained {
  readonly what: string;
  readonly next: string;
  readonly param?: string;
}

/** What a usage costs where the request is served. */
export interface Pricing {
  /** In nano-USD. */
  costOf(usage: TokenUsage): bigint;
}

/** The same in USD, as `usage.cost` of a stream tells it. */
export function usdOf(pricing: Pricing, usage: TokenUsage): number {
  return Number(formatUsd(pricing.costOf(usage)));
}

/** An unstreamed answer, understood. */
export interface Answer {
  /** Null where the provider reported none that can be believed. */
  readonly usage: TokenUsage | null;
  /** Whether `usage` is not all the provider's own; false where absent. */
  readonly isUsageEstimated?: boolean;
  readonly finishReason: string | null;
  /** What was produced, counted by us. */
  readonly estimatedOutputTokens: number;
  /** JSON where absent. */
  readonly contentType?: string;
  /** What a live watcher sees of it. */
  updates(): readonly CompletionUpdate[];
}

/** Relays an answer as it comes, events whole, and observes it on the way. */
export interface StreamRelay {
  /** As it goes to the caller. */
  readonly contentType: string;
  /** As the provider told it; of an answer that is not over, with the output counted by us where that is more. */
  readonly usage: TokenUsage | null;
  /** Whether `usage` is not all the provider's own. */
  readonly isUsageEstimated: boolean;
  readonly finishReason: string | null;
  /** Whether what has come is a whole answer, should nothing more come. */
  readonly isComplete: boolean;
  /** The provider marked the end. */
  readonly done: boolean;
  /** Set when the provider reported an error within its stream, or sent what cannot be relayed. */
  readonly failure: SluiceError | null;
  /** What has been produced so far, counted by us. */
  readonly estimatedOutputTokens: number;
  /** What the answer costs by, where that is known before it ends; null or absent where it is not. */
  readonly usageAtHead?: TokenUsage | null;
  /** @returns what goes to the caller now, in whole events; null where there is nothing */
  push(bytes: Buffer): Buffer | null;
  /** The closing bytes, held back until the request is settled. */
  readonly closing: Buffer;
}

export interface StreamRelayOptions<Facts = null> {
  readonly provider: string;
  /** Of what the provider sends. */
  readonly contentType: string;
  readonly facts: Facts;
  /** Whether the caller asked for usage in the stream; it is hidden from one that did not. */
  readonly wantsUsage: boolean;
  readonly pricing: Pricing;
  /** Set while somebody watches; told what the stream says, as it says it. */
  readonly watch: (update: CompletionUpdate) => void;
  readonly watched: () => boolean;
}

/**
 * A kind of work on the one pipeline: how it is parsed, which units it uses, how it is rendered. `Facts` are what of a request
 * its bill and its answer depend on: small, since they are kept while it is answered, when the request itself is not.
 */
export interface Capability<Request, Facts = null> {
  /** As the catalogue names it. */
  readonly name: string;
  /** What its bodies may hold: a member that is written otherwise, or twice, is refused. */
  readonly members: KnownMembers;
  /**
   * The model asked for: told missing or unknown before any other fault. `models` are for a capability with a usual one.
   * @throws SluiceError of status 400
   */
  modelName(value: unknown, models: Router, accountId: string): string;
  /** @throws SluiceError of status 400 */
  parse(value: unknown): Request;
  /** Whether a long body's outline is enough to admit it; absent where it is parsed whole. */
  readonly outlined?: boolean;
  facts(request: Request): Facts;
  /** Estimated, where the length of the body says little. */
  inputTokens?(request: Request): number;
  /** Whether the answer is relayed as it comes. */
  streamed(request: Request): boolean;
  /** Bytes of an answer that is kept whole; 64 MiB where absent. */
  readonly maxAnswerBytes?: number;
  wantsUsage(request: Request): boolean;
  /** Tokens set aside for the answer until it is settled; `ceiling` is the model's own maximum. */
  outputReserve(request: Request, ceiling: number | null): number;
  /**
   * The most tokens that it can use, where a budget has to hold for them; four times those that are estimated, and the reserve,
   * where absent. `ceiling` is the model's own maximum of an answer.
   */
  maxUsage?(request: Request, ceiling: number | null): TokenUsage;
  /** Whether `mostUsed` holds for a whole stream, and not for its beginning alone; false where absent. */
  isBounded?(request: Request): boolean;
  /** A body of a request without a bound, with one; absent where an answer cannot be bounded. */
  withMaxOutput?(body: Buffer, tokens: number): Buffer;
  /** Ids of earlier calls whose signed reasoning the caller did not send back; absent where calls have none. */
  callsWithoutReasoning?(request: Request): readonly string[];
  /** What of a request its answer depends on; null for what is never kept. */
  cacheable(request: Request): object | null;
  /** What of a request keeps content once it is answered, and what to do instead; absent where nothing does. */
  retained?(request: Request): Retained | null;
  /** Whom the caller acts for, in the caller's own terms. */
  endUser(request: Request): string | null;
  /** Names and values that a request has in the usage log; absent where it has none but its header's. */
  tags?(request: Request): Readonly<Record<string, string>> | null;
  /**
   * @returns the names of the parameters that the provider was not sent
   * @throws SluiceError of status 400
   */
  send(connection: Connection, request: Request, call: ProviderCall, receiver: UpstreamReceiver): readonly string[];
  /** Null where what the provider sends is no such answer. */
  relayStream(options: StreamRelayOptions<Facts>): StreamRelay | null;
  /** @throws SluiceError provider_invalid_response */
  readAnswer(provider: string, body: Buffer, facts: Facts, pricing: Pricing): Answer;
  /** What of it a moderation model can judge; absent where that is nothing. */
  readonly moderation?: ModerationSupport<Request>;
  /** What a request has used once it was sent, though its caller left before the answer; its tokens where absent. */
  usageWithoutResponse?(facts: Facts, inputTokens: number, pricing: Pricing): TokenUsage;
}

/** @throws SluiceError capability_not_supported */
export function notSupported(connection: Connection, capability: string): never {
  throw new SluiceError('capability_not_supported', { values: { provider: connection.provider, capability } });
}
