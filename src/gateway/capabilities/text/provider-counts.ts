import { SluiceError } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { NamedObject, ProtocolName } from '../../../protocols/canonical/protocol.ts';
import type { Connection } from '../../../providers/contract.ts';
import type { RequestDependencies } from '../../call.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import { allowedTargets } from '../../policy/allowed-targets.ts';
import { checkForwardedUrls } from '../../policy/forwarded-urls.ts';
import { isInlined } from '../../policy/inlined-urls.ts';
import { refuseSelecting } from '../../policy/selecting-members.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import { classify } from '../../routing/health/failure-class.ts';
import type { Target } from '../../routing/target.ts';
import { chat } from '../chat/chat.ts';
import { tryParse } from '../../json-text.ts';
import { assertMemberNames } from '../member-names.ts';
import type { KnownMembers } from '../known-members.ts';
import { refuseForeignObjects } from '../foreign-objects.ts';
import type { TextCall } from './text-request.ts';

/** A count is free of charge and has no rate limit: this bounds the sockets that a key occupies. */
const MAX_COUNTS_PER_KEY = 8;
const TIMEOUT_MS = 10_000;
/** Statuses with which a provider refuses the request itself; others mean that it does not count. */
const ofTheRequest: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** A protocol whose providers count tokens. */
export interface CountedProtocol {
  readonly name: ProtocolName;
  /** As `ClientProtocol.members`. */
  readonly members: KnownMembers;
  /** The model, where the body names it. @throws SluiceError of status 400 */
  modelName(value: unknown): string;
  /** As `DecodedRequest.providerObjects`. */
  namedObjects(value: unknown): readonly NamedObject[];
  /** The number of tokens in a response, of any type. */
  tokensOf(response: JsonObject): unknown;
}

/** A request whose tokens are counted. */
export interface CountRequest extends TextCall {
  readonly key: KeyRecord;
  readonly input: RequestInput;
  readonly requestId: string;
  /** The objects at the provider that it names; those in the body if absent. */
  readonly named?: readonly NamedObject[];
  /** The connection that holds them; any if absent. */
  readonly connectionId?: string;
  /** The body for a connection; the client's if absent. */
  bodyFor?(connection: Connection): Buffer;
}

/** Counts of input tokens by providers that serve the client's protocol. */
export class ProviderCounts {
  readonly #dependencies: RequestDependencies;
  readonly #protocol: CountedProtocol;
  /** Counts in progress by key. */
  readonly #running = new Map<string, number>();

  constructor(dependencies: RequestDependencies, protocol: CountedProtocol) {
    this.#dependencies = dependencies;
    this.#protocol = protocol;
  }

  /**
   * Counts at the model's first target.
   * @param signal ends the count
   * @returns the provider's response; null where it has to be estimated
   * @throws SluiceError for a request that the provider refuses, or that must not reach it
   */
  async count(request: CountRequest, signal: AbortSignal): Promise<Buffer | null> {
    const { key, input, requestId, headers, query } = request;
    const running = this.#running.get(key.id) ?? 0;
    const target = running < MAX_COUNTS_PER_KEY ? this.#targetOf(request) : null;
    if (target === null || !Buffer.isBuffer(input)) return null;
    this.#running.set(key.id, running + 1);
    const deadline = new AbortController();
    const timer = this.#dependencies.clock.setTimeout(() => deadline.abort(), TIMEOUT_MS).unref();
    try {
      const own = {
        model: target.upstreamModel,
        body: request.bodyFor?.(target.connection) ?? input,
        stream: false,
        parameters: 'drop' as const,
      };
      const context = { ...own, requestId, headers, query };
      const ended = AbortSignal.any([signal, deadline.signal]);
      const response = await target.connection.countTokens?.(this.#protocol.name, context, ended);
      return response && this.#isCount(response) ? response : null;
    } catch (error) {
      if (error instanceof SluiceError && isOfRequest(error)) throw error;
      return null;
    } finally {
      timer.cancel();
      this.#end(key.id);
    }
  }

  /** Null where no provider counts: what is moderated first, or fetched for the provider, is not sent to be counted. */
  #targetOf(request: CountRequest): Target | null {
    const { key, input, model, connectionId, objects } = request;
    const { router, forwarded } = this.#dependencies;
    const value = valueOf(input);
    const route = router.resolve(model ?? this.#protocol.modelName(value), key);
    if (!route || route.moderation !== null || key.moderation !== null) return null;
    const isAllowed = allowedTargets({ key }, route);
    const isHolder = ({ connection }: Target): boolean => (connectionId ?? connection.id) === connection.id;
    const target = route.listed.find((each) => isAllowed?.(each) !== false && isHolder(each));
    if (target?.connection.countTokens === undefined || target.health.isAvoided) return null;
    assertMemberNames(input, this.#protocol.members);
    refuseSelecting(key, route, chat.name, value);
    refuseForeignObjects(target.connection, request.named ?? this.#protocol.namedObjects(value), objects);
    const isFetched =
      forwarded && checkForwardedUrls(forwarded, value) && isInlined(forwarded, target, this.#protocol.name);
    return isFetched ? null : target;
  }

  #isCount(response: Buffer): boolean {
    const value = tryParse(response.toString());
    const tokens = isObject(value) ? this.#protocol.tokensOf(value) : null;
    return Number.isSafeInteger(tokens) && Number(tokens) >= 0;
  }

  #end(keyId: string): void {
    const left = (this.#running.get(keyId) ?? 1) - 1;
    if (left === 0) this.#running.delete(keyId);
    else this.#running.set(keyId, left);
  }
}

function isOfRequest(error: SluiceError): boolean {
  const failure = classify(error);
  return failure === 'context' || (failure === 'client' && ofTheRequest.has(error.upstream?.status));
}
