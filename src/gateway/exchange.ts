import { formatUsd } from '../catalogue/price.ts';
import { SluiceError, toSluiceError, type ErrorCode } from '../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../providers/contract.ts';
import type { Call, PipelineParts } from './call.ts';
import type { Answer, Capability, StreamRelay } from './capabilities/capability.ts';
import { parseJsonBody } from './capabilities/json-body.ts';
import { Deadline } from './deadline.ts';
import type { DurabilityWaiter } from './journal/usage-journal.ts';
import { estimateTokens, Metering } from './metering.ts';
import type { CapabilityMetrics } from './metrics.ts';
import { mayUseModel } from './model-directory.ts';
import { ReceivedBytes } from './received-bytes.ts';
import type { Route } from './routing/route.ts';
import type { Ending } from './usage-line.ts';
import type { UsageStatus } from './usage-record.ts';
import { Watchers } from './watchers.ts';
import type { Outgoing, Release, Work } from './work.ts';

const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
/** What is recorded for a caller who went away; nginx's number for it. */
const CALLER_GONE = 499;

/**
 * `opening`: parsed and admitted. `beginning`: its begin record is being written. `waiting`: sent. `relaying`: the provider
 * answers. `settling`: its settle record is being written. `ended`: nothing more comes.
 */
type Phase = 'opening' | 'beginning' | 'waiting' | 'relaying' | 'settling' | 'ended';

/**
 * One request on its way: parse, resolve, admit, begin, send, relay, settle. Every method is called by an event; the phase
 * says what may still happen, so that the caller's leaving, the provider's answer and a deadline can come in any order.
 */
export class Exchange<Request = unknown> implements UpstreamReceiver, DurabilityWaiter {
  /** Where it stands among the open ones. */
  slot = -1;
  readonly #parts: PipelineParts;
  readonly #capability: Capability<Request>;
  readonly #metrics: CapabilityMetrics;
  readonly #call: Call;
  readonly #onEnd: (exchange: Exchange) => void;
  readonly #deadline = new Deadline();
  #phase: Phase = 'opening';
  #outgoing: Outgoing<Request> | null = null;
  #admitted: Work | null = null;
  #upstream: Upstream | null = null;
  #relay: StreamRelay | null = null;
  readonly #received = new ReceivedBytes();
  #relayScheduled = false;
  #headSent = false;
  #callerPaused = false;
  #release: Release = { gone: true };
  #ending: Ending | null = null;

  constructor(parts: PipelineParts, capability: Capability<Request>, call: Call, onEnd: (exchange: Exchange) => void) {
    this.#parts = parts;
    this.#onEnd = onEnd;
    this.#capability = capability;
    this.#call = call;
    this.#metrics = parts.metrics.capability(capability.name);
    this.#metrics.openRequests++;
  }

  get keyId(): string {
    return this.#call.key.id;
  }

  run(body: Buffer): void {
    try {
      const value = parseJsonBody(body);
      const requestedModel = this.#capability.modelName(value);
      const route = this.#resolve(requestedModel);
      const request = this.#capability.parse(value);
      const tokens = estimateTokens(body.length) + this.#capability.outputReserve(request, route.maxOutputTokens);
      this.#outgoing = { body, request };
      const reserving = this.#parts.limits.reserve(this.#call.key, route.model, tokens);
      if (reserving === undefined) this.#begin(route, requestedModel, tokens);
      else
        reserving
          .then(() => this.#begin(route, requestedModel, tokens))
          .catch((error: unknown) => this.refuse(toSluiceError(error)));
    } catch (error) {
      this.refuse(toSluiceError(error));
    }
  }

  /** Ends a request that has not begun. */
  refuse(error: SluiceError): void {
    if (this.#phase !== 'opening') return;
    this.#log(error);
    this.#end(error.status, error.code);
    this.#call.outlet.fail(error, null);
  }

  /** The caller's connection is gone: the provider's is closed, and what was produced is settled. */
  callerGone(): void {
    if (this.#phase === 'opening') this.#end(CALLER_GONE, null);
    if (!this.#underWay()) return;
    this.relayReceived();
    // What had come may have been the end.
    if (!this.#underWay()) return;
    this.#upstream?.abort();
    this.#settlePartly('aborted', CALLER_GONE, null);
  }

  callerDrained(): void {
    if (!this.#callerPaused) return;
    this.#callerPaused = false;
    this.#deadline.expect('next part', this.#parts.timeouts().betweenChunks);
    this.#upstream?.resume();
  }

  /** Ends a request from our side. */
  terminate(error: SluiceError): void {
    if (this.#phase === 'opening') this.refuse(error);
    else this.#failWith(error);
  }

  checkDeadline(now: number): void {
    if (!this.#deadline.hasPassed(now)) return;
    if (this.#callerPaused) {
      this.callerGone();
      this.#call.outlet.abort();
    } else this.#failWith(this.#providerError('provider_timeout', undefined, this.#deadline.describe(now)));
    this.#deadline.lift();
  }

  // The journal

  onDurable(): void {
    if (this.#phase === 'beginning') this.#send(this.#work);
    else if (this.#phase === 'settling') this.#finish();
  }

  onJournalFailure(error: Error): void {
    if (this.#phase === 'beginning')
      this.#failWith(new SluiceError('metering_unavailable', { retryAfterMs: 1_000, cause: error }));
    // The settle record stays in memory until the disk takes it; the caller need not wait for that.
    else if (this.#phase === 'settling') this.#finish();
  }

  // The provider

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
  }

  onHead(_status: number, headers: HeaderMap): void {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'relaying';
    const { streamed } = this.#work;
    const eventStream = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    if (streamed && eventStream) this.#relay = this.#startRelay(this.#work);
    // An answer in one piece keeps the time that it was given when it was sent.
    if (this.#relay) this.#deadline.expect('first token', this.#parts.timeouts().firstToken);
  }

  onData(bytes: Buffer): void {
    if (this.#phase !== 'relaying') return;
    this.#received.push(bytes);
    if (this.#relay === null) {
      if (this.#received.length > MOST_ANSWER_BYTES)
        this.#failWith(this.#providerError('provider_invalid_response', 'the answer is too long'));
      return;
    }
    // All parts of one socket read arrive in one turn: they are looked at, and written on, as one.
    if (this.#relayScheduled) return;
    this.#relayScheduled = true;
    process.nextTick(relayReceived, this);
  }

  onEnd(): void {
    if (this.#relay === null) {
      if (this.#phase === 'relaying') this.#complete(this.#work);
      return;
    }
    this.relayReceived();
    if (this.#phase !== 'relaying') return;
    if (this.#relay.finishReason === null) this.#failWith(this.#providerError('provider_stream_cut'));
    else this.#completeStream(this.#relay, null);
  }

  onFailure(error: SluiceError): void {
    this.relayReceived();
    this.#failWith(error);
  }

  /** Relays what the provider has sent in this turn. */
  relayReceived(): void {
    this.#relayScheduled = false;
    const relay = this.#relay;
    if (relay === null || this.#phase !== 'relaying' || this.#received.length === 0) return;
    const out = relay.push(this.#received.take());
    if (relay.done) this.#completeStream(relay, out);
    else if (out !== null) this.#writeStream(out);
    if (relay.failure) this.#failWith(relay.failure);
    else if (!this.#callerPaused && !relay.done && out !== null)
      this.#deadline.expect('next part', this.#parts.timeouts().betweenChunks);
  }

  // Steps

  #resolve(requestedModel: string): Route {
    const route = this.#parts.router.resolve(requestedModel);
    if (route !== undefined && mayUseModel(this.#call.key, route.model)) return route;
    throw new SluiceError('model_not_found', { values: { model: requestedModel.slice(0, 256) } });
  }

  #begin(route: Route, requestedModel: string, reserved: number): void {
    const parts = this.#parts;
    if (this.#phase !== 'opening' || this.#outgoing === null) {
      // The caller left while a shared limit store was asked.
      parts.limits.settle(this.#call.key, reserved, 0);
      return;
    }
    const { body, request } = this.#outgoing;
    const streamed = this.#capability.streamed(request);
    const capability = this.#capability.name;
    const endUser = this.#capability.endUser(request);
    const inputTokens = estimateTokens(body.length);
    const admitted = { route, capability, requestedModel, streamed, endUser, inputTokens };
    const metering = new Metering(parts, this.#call, this.#metrics, admitted, reserved);
    this.#admitted = {
      route,
      streamed,
      wantsUsage: this.#capability.wantsUsage(request),
      metering,
      watchers: new Watchers(parts.live, this.#call, route.model),
    };
    this.#phase = 'beginning';
    metering.begin(this);
  }

  #send({ route, streamed, metering, watchers }: Work): void {
    const outgoing = this.#outgoing;
    if (outgoing === null) return;
    this.#outgoing = null;
    const { headers, answer } = this.#parts.timeouts();
    this.#phase = 'waiting';
    metering.markSent();
    this.#deadline.expect(streamed ? 'response headers' : 'answer', streamed ? headers : answer);
    if (watchers.watching) watchers.tell({ type: 'started', model: route.model, provider: route.connection.provider });
    const call = {
      model: route.upstreamModel,
      body: outgoing.body,
      requestId: this.#call.requestId,
      parameters: 'drop',
    } as const;
    try {
      this.#capability.send(route.connection, outgoing.request, call, this);
    } catch (error) {
      this.onFailure(toSluiceError(error));
    }
  }

  #startRelay({ route, wantsUsage, metering, watchers }: Work): StreamRelay {
    return this.#capability.relayStream({
      provider: route.connection.provider,
      wantsUsage,
      priceOf: (usage) => Number(formatUsd(metering.costOf(usage))),
      watched: () => watchers.watching,
      watch: (update) => watchers.tell(update),
    });
  }

  #writeStream(bytes: Buffer): void {
    this.#work.metering.markFirstToken();
    if (!this.#headSent) this.#head(null, null);
    if (this.#call.outlet.write(bytes)) return;
    this.#callerPaused = true;
    this.#deadline.expect('', this.#parts.timeouts().caller);
    this.#upstream?.pause();
  }

  /** The provider's unstreamed answer is whole. */
  #complete({ streamed, route, metering, watchers }: Work): void {
    const bytes = this.#received.take();
    let answer: Answer;
    try {
      if (streamed) throw this.#providerError('provider_invalid_response', 'no event stream');
      answer = this.#capability.readAnswer(route.connection.provider, bytes);
    } catch (error) {
      this.#failWith(toSluiceError(error));
      return;
    }
    metering.markFirstToken();
    if (watchers.watching) for (const update of answer.updates()) watchers.tell(update);
    const usage = answer.usage ?? metering.estimate(answer.estimatedOutputTokens);
    const cost = metering.costOf(usage);
    this.#release = { last: null, bytes, costNano: cost };
    this.#settle({
      status: 'succeeded',
      httpStatus: 200,
      error: null,
      usage,
      cost,
      estimated: answer.usage === null,
      finishReason: answer.finishReason,
    });
  }

  /** @param last what came together with the end, and goes with it: one write costs half of two */
  #completeStream(relay: StreamRelay, last: Buffer | null): void {
    if (last !== null) this.#work.metering.markFirstToken();
    this.#release = { last, bytes: relay.closing, costNano: 0n };
    this.#settlePartly('succeeded', 200, null);
  }

  #failWith(error: SluiceError): void {
    if (!this.#underWay()) return;
    this.#upstream?.abort();
    this.#log(error);
    this.#release = { error };
    this.#settlePartly('failed', error.status, error);
  }

  /** Settles with what the stream has shown so far. */
  #settlePartly(status: UsageStatus, httpStatus: number, error: SluiceError | null): void {
    const { metering } = this.#work;
    const relay = this.#relay;
    // A request that failed before the provider produced anything costs nothing; one that its caller left has been sent.
    const produced = this.#headSent || status === 'succeeded' || (status === 'aborted' && metering.sent);
    const nothing = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
    const usage = relay?.usage ?? (produced ? metering.estimate(relay?.estimatedOutputTokens ?? 0) : nothing);
    this.#settle({
      status,
      httpStatus,
      error,
      usage,
      cost: metering.costOf(usage),
      estimated: produced && !relay?.usage,
      finishReason: relay?.finishReason ?? null,
    });
  }

  #settle(ending: Ending): void {
    const { metering } = this.#work;
    this.#phase = 'settling';
    this.#deadline.lift();
    this.#ending = ending;
    metering.settle(ending, this);
  }

  /** The settle record is on disk: the last bytes may go. */
  #finish(): void {
    const { outlet } = this.#call;
    const { metering, watchers, route } = this.#work;
    const release = this.#release;
    if (watchers.watching && this.#ending) watchers.tell(metering.lastUpdate(this.#ending));
    if ('error' in release) {
      this.#end(release.error.status, release.error.code);
      outlet.fail(release.error, { provider: route.connection.provider, model: route.model });
    } else if ('bytes' in release) {
      this.#end(200, null);
      if (!this.#headSent) this.#head(this.#relay ? null : release.bytes.length, this.#relay ? null : release.costNano);
      if (release.last !== null) outlet.write(release.last);
      outlet.end(release.bytes);
    } else this.#end(CALLER_GONE, null);
  }

  #end(httpStatus: number, code: ErrorCode | null): void {
    this.#phase = 'ended';
    this.#received.clear();
    this.#outgoing = null;
    this.#metrics.openRequests--;
    this.#metrics.requestEnded(httpStatus === CALLER_GONE ? 0 : httpStatus, performance.now() - this.#call.startedAt);
    if (code) this.#parts.metrics.errorAnswered(code);
    this.#onEnd(this);
  }

  #head(contentLength: number | null, costNano: bigint | null): void {
    const { route, streamed } = this.#work;
    this.#headSent = true;
    const provider = route.connection.provider;
    this.#call.outlet.head({ provider, model: route.model, streamed, contentLength, costNano });
  }

  #underWay(): boolean {
    return this.#phase === 'beginning' || this.#phase === 'waiting' || this.#phase === 'relaying';
  }

  #log(error: SluiceError): void {
    const { log } = this.#parts;
    const told = { err: error.cause, detail: error.detail, code: error.code, requestId: this.#call.requestId };
    if (error.code === 'internal_error') log.error(told, 'a request failed');
    else if (error.detail || error.cause) log.warn(told, 'a provider failed a request');
  }

  #providerError(code: ErrorCode, detail?: string, values: Record<string, string | number> = {}): SluiceError {
    return new SluiceError(code, {
      values: { provider: this.#work.route.connection.provider, ...values },
      ...(detail && { detail }),
    });
  }

  get #work(): Work {
    if (this.#admitted === null) throw new Error('the request is not admitted yet');
    return this.#admitted;
  }
}

function relayReceived(exchange: Exchange): void {
  exchange.relayReceived();
}
