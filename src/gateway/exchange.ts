import { SluiceError, toSluiceError, type ErrorCode } from '../errors/index.ts';
import { costNano, formatUsd } from '../catalogue/price.ts';
import type { CompletionUpdate } from '../live/events.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../providers/contract.ts';
import type { Answer, Capability, StreamRelay, TokenUsage } from './capabilities/capability.ts';
import { parseJsonBody } from './capabilities/json-body.ts';
import { requestIdOf } from './event-id.ts';
import type { Segment } from './journal/segment.ts';
import type { DurabilityWaiter } from './journal/usage-journal.ts';
import { mayUseModel } from './model-directory.ts';
import type { CapabilityMetrics } from './metrics.ts';
import type { Call, Pipeline } from './pipeline.ts';
import type { Route } from './routing/route.ts';
import { lineHead, recordLine } from './usage-line.ts';
import type { UsageStatus } from './usage-record.ts';

const BYTES_PER_TOKEN = 4;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
/** What is recorded for a caller who went away; nginx's number for it. */
const CALLER_GONE = 499;

type Phase = 'opening' | 'beginning' | 'waiting' | 'relaying' | 'settling' | 'ended';

/**
 * One request on its way: parse, resolve, admit, begin, send, relay, settle. Every method is called by an event; the phase
 * says what may still happen, so that the caller's leaving, the provider's answer and a deadline can come in any order.
 */
export class Exchange<Request = unknown> implements UpstreamReceiver, DurabilityWaiter {
  readonly requestId: string;
  readonly #pipeline: Pipeline;
  readonly #capability: Capability<Request>;
  readonly #metrics: CapabilityMetrics;
  readonly #call: Call;
  #phase: Phase = 'opening';
  #request: Request | null = null;
  #route: Route | null = null;
  #streamed = false;
  #inputEstimate = 0;
  #reserved = 0;
  #lineHead = '';
  #segment: Segment | null = null;
  #upstream: Upstream | null = null;
  #relay: StreamRelay | null = null;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #relayScheduled = false;
  #headSent = false;
  #sentAt = 0;
  #firstTokenAt = 0;
  #deadline = Infinity;
  #stage = '';
  #callerPaused = false;
  #watched = false;
  /** What goes out when the settle record is on disk. */
  #release: { error: SluiceError | null; body: Buffer | null; cost: bigint } | null = null;

  constructor(pipeline: Pipeline, capability: Capability<Request>, call: Call) {
    this.#pipeline = pipeline;
    this.#capability = capability;
    this.#call = call;
    this.requestId = requestIdOf(call.eventId);
    this.#metrics = pipeline.parts.metrics.capability(capability.name);
    this.#metrics.openRequests++;
  }

  get keyId(): string {
    return this.#call.key.id;
  }

  run(): void {
    try {
      const value = parseJsonBody(this.#call.body);
      const requestedModel = this.#capability.modelName(value);
      const route = this.#resolve(requestedModel);
      this.#request = this.#capability.parse(value);
      this.#route = route;
      const reserving = this.#admit(this.#request, route);
      if (reserving === undefined) this.#begin(requestedModel);
      else
        reserving.then(
          () => (this.#phase === 'opening' ? this.#begin(requestedModel) : this.#giveBack(0)),
          (error) => this.refuse(toSluiceError(error)),
        );
    } catch (error) {
      this.refuse(toSluiceError(error));
    }
  }

  /** Ends a request that has not begun. */
  refuse(error: SluiceError): void {
    if (this.#phase !== 'opening') return;
    if (error.code === 'internal_error')
      this.#pipeline.parts.log.error({ err: error.cause, requestId: this.requestId }, 'a request failed');
    this.#end(error.status, error.code);
    this.#call.outlet.fail(error);
  }

  /** The caller's connection is gone: the provider's is closed, and what was produced is settled. */
  callerGone(): void {
    if (this.#phase === 'opening') {
      this.#end(CALLER_GONE, null);
      return;
    }
    if (this.#phase === 'settling' || this.#phase === 'ended') return;
    this.#absorb();
    this.#upstream?.abort();
    this.#settle('aborted', CALLER_GONE, null, null);
  }

  callerDrained(): void {
    if (!this.#callerPaused) return;
    this.#callerPaused = false;
    this.#expect('next part', this.#pipeline.parts.timeouts().betweenChunks);
    this.#upstream?.resume();
  }

  /** Ends a request from our side. */
  terminate(error: SluiceError): void {
    if (this.#phase === 'opening') this.refuse(error);
    else this.#failWith(error);
  }

  checkDeadline(now: number): void {
    if (now < this.#deadline) return;
    this.#deadline = Infinity;
    if (this.#callerPaused) this.callerGone();
    else
      this.#failWith(
        new SluiceError('provider_timeout', {
          values: {
            provider: this.#provider,
            stage: this.#stage,
            seconds: Math.round((now - this.#expectedSince) / 1000),
          },
        }),
      );
  }

  // The journal

  onDurable(): void {
    if (this.#phase === 'beginning') this.#send();
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
    const timeouts = this.#pipeline.parts.timeouts();
    const eventStream = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    if (this.#streamed && eventStream) this.#relay = this.#startRelay();
    this.#expect(
      this.#relay ? 'first token' : 'rest of its answer',
      this.#relay ? timeouts.firstToken : timeouts.betweenChunks,
    );
  }

  onData(bytes: Buffer): void {
    if (this.#phase !== 'relaying') return;
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    if (this.#relay === null) {
      if (this.#receivedBytes > MOST_ANSWER_BYTES)
        this.#failWith(
          new SluiceError('provider_invalid_response', {
            values: { provider: this.#provider },
            detail: 'the answer is too long',
          }),
        );
      return;
    }
    // All parts of one socket read arrive in one turn: they are looked at, and written on, as one.
    if (this.#relayScheduled) return;
    this.#relayScheduled = true;
    process.nextTick(relayReceived, this);
  }

  onEnd(): void {
    if (this.#phase !== 'relaying') return;
    if (this.#relay === null) this.#complete();
    else {
      this.relayReceived();
      if (this.#phase !== 'relaying') return;
      if (this.#relay.finishReason === null)
        this.#failWith(new SluiceError('provider_stream_cut', { values: { provider: this.#provider } }));
      else this.#settle('succeeded', 200, null, this.#relay.closing);
    }
  }

  onFailure(error: SluiceError): void {
    if (this.#phase === 'settling' || this.#phase === 'ended') return;
    this.#absorb();
    if (this.#phase === 'waiting' || this.#phase === 'relaying') this.#failWith(error);
  }

  /** Relays what the provider has sent in this turn. */
  relayReceived(): void {
    this.#relayScheduled = false;
    const relay = this.#relay;
    if (relay === null || this.#phase !== 'relaying' || this.#received.length === 0) return;
    const out = relay.push(this.#takeReceived());
    if (out !== null) this.#writeStream(out);
    if (relay.failure) this.#failWith(relay.failure);
    else if (relay.done) this.#settle('succeeded', 200, null, relay.closing);
    else if (!this.#callerPaused && out !== null)
      this.#expect('next part', this.#pipeline.parts.timeouts().betweenChunks);
  }

  // Steps

  #resolve(requestedModel: string): Route {
    const route = this.#pipeline.parts.router.resolve(requestedModel);
    if (route === undefined || !mayUseModel(this.#call.key, route.model))
      throw new SluiceError('model_not_found', { values: { model: requestedModel.slice(0, 256) } });
    return route;
  }

  #admit(request: Request, route: Route): void | Promise<void> {
    this.#streamed = this.#capability.streamed(request);
    this.#inputEstimate = Math.ceil(this.#call.body.length / BYTES_PER_TOKEN);
    const tokens = this.#inputEstimate + this.#capability.outputReserve(request, route.maxOutputTokens);
    const reserving = this.#pipeline.parts.limits.reserve(this.#call.key, route.model, tokens);
    this.#reserved = tokens;
    return reserving;
  }

  #begin(requestedModel: string): void {
    const { parts } = this.#pipeline;
    const route = this.#knownRoute();
    const request = this.#knownRequest();
    this.#phase = 'beginning';
    if (this.#streamed) this.#metrics.openStreams++;
    this.#lineHead = lineHead({
      eventId: this.#call.eventId,
      at: Date.now(),
      key: this.#call.key,
      route,
      capability: this.#capability.name,
      requestedModel,
      streamed: this.#streamed,
      endUser: this.#capability.endUser(request),
    });
    const usage = { inputTokens: this.#inputEstimate, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
    this.#segment = parts.journal.begin(this.#line('interrupted', 0, null, usage, true), this);
  }

  #send(): void {
    const route = this.#knownRoute();
    const timeouts = this.#pipeline.parts.timeouts();
    this.#phase = 'waiting';
    this.#sentAt = performance.now();
    this.#expect(this.#streamed ? 'response headers' : 'answer', this.#streamed ? timeouts.headers : timeouts.answer);
    if (this.#isWatched()) this.#emit({ type: 'started', model: route.model, provider: route.connection.provider });
    try {
      this.#capability.send(
        route.connection,
        this.#knownRequest(),
        { model: route.upstreamModel, body: this.#call.body, requestId: this.requestId },
        this,
      );
    } catch (error) {
      this.onFailure(toSluiceError(error));
    }
  }

  #startRelay(): StreamRelay {
    const request = this.#knownRequest();
    return this.#capability.relayStream({
      provider: this.#provider,
      wantsUsage: this.#capability.wantsUsage(request),
      priceOf: (usage) => Number(formatUsd(this.#costOf(usage))),
      watched: () => this.#isWatched(),
      watch: (update) => this.#emit(update),
    });
  }

  #writeStream(bytes: Buffer): void {
    if (!this.#headSent) {
      this.#firstTokenAt = performance.now();
      this.#metrics.firstToken(this.#firstTokenAt - this.#call.startedAt);
      this.#head(null, null);
    }
    if (this.#call.outlet.write(bytes)) return;
    this.#callerPaused = true;
    this.#expect('', this.#pipeline.parts.timeouts().caller);
    this.#upstream?.pause();
  }

  #complete(): void {
    let answer: Answer;
    const body = this.#takeReceived();
    try {
      if (this.#streamed)
        throw new SluiceError('provider_invalid_response', {
          values: { provider: this.#provider },
          detail: 'no event stream',
        });
      answer = this.#capability.readAnswer(this.#provider, body);
    } catch (error) {
      this.#failWith(toSluiceError(error));
      return;
    }
    this.#firstTokenAt = performance.now();
    if (this.#isWatched()) for (const update of answer.updates()) this.#emit(update);
    const usage = answer.usage ?? {
      inputTokens: this.#inputEstimate,
      outputTokens: answer.estimatedOutputTokens,
      cachedTokens: 0,
      reasoningTokens: 0,
    };
    this.#settleUsage('succeeded', 200, null, usage, answer.usage === null, answer.finishReason, body);
  }

  #failWith(error: SluiceError): void {
    if (this.#phase === 'settling' || this.#phase === 'ended') return;
    this.#upstream?.abort();
    if (error.code === 'internal_error')
      this.#pipeline.parts.log.error({ err: error.cause, requestId: this.requestId }, 'a request failed');
    else if (error.detail || error.cause)
      this.#pipeline.parts.log.warn(
        { err: error.cause, detail: error.detail, code: error.code, requestId: this.requestId },
        'a provider failed a request',
      );
    this.#settle('failed', error.status, error, null);
  }

  /** Settles a request with what its stream showed so far. */
  #settle(status: UsageStatus, httpStatus: number, error: SluiceError | null, closing: Buffer | null): void {
    const relay = this.#relay;
    // A request that failed before the provider produced anything costs nothing; one that its caller left has been sent.
    const produced = this.#headSent || (status === 'aborted' && this.#sentAt > 0);
    const usage = relay?.usage ?? {
      inputTokens: produced ? this.#inputEstimate : 0,
      outputTokens: produced ? (relay?.estimatedOutputTokens ?? 0) : 0,
      cachedTokens: 0,
      reasoningTokens: 0,
    };
    this.#settleUsage(
      status,
      httpStatus,
      error,
      usage,
      produced && !relay?.usage,
      relay?.finishReason ?? null,
      closing,
    );
  }

  #settleUsage(
    status: UsageStatus,
    httpStatus: number,
    error: SluiceError | null,
    usage: TokenUsage,
    estimated: boolean,
    finishReason: string | null,
    body: Buffer | null,
  ): void {
    const { parts } = this.#pipeline;
    const cost = this.#costOf(usage);
    this.#phase = 'settling';
    this.#deadline = Infinity;
    this.#release = { error, body, cost };
    this.#giveBack(usage.inputTokens + usage.outputTokens);
    this.#metrics.tokensUsed(usage.inputTokens, usage.outputTokens, usage.cachedTokens, usage.reasoningTokens);
    const line = this.#line(status, httpStatus, error?.code ?? null, usage, estimated, finishReason);
    if (this.#segment) parts.journal.settle(line, this.#segment, this);
    if (this.#isWatched()) this.#emit(this.#lastUpdate(status, error, usage, estimated, finishReason, cost));
  }

  /** The settle record is on disk: the last bytes may go. */
  #finish(): void {
    const { outlet } = this.#call;
    const release = this.#release;
    this.#release = null;
    if (release === null) return;
    const status = release.error?.status ?? (release.body === null ? CALLER_GONE : 200);
    this.#end(status, release.error?.code ?? null);
    if (release.error) outlet.fail(release.error);
    else if (release.body) {
      if (!this.#headSent) this.#head(this.#relay ? null : release.body.length, this.#relay ? null : release.cost);
      outlet.end(release.body);
    }
  }

  #end(httpStatus: number, code: ErrorCode | null): void {
    this.#phase = 'ended';
    this.#metrics.openRequests--;
    if (this.#streamed && this.#segment) this.#metrics.openStreams--;
    this.#metrics.requestEnded(httpStatus === CALLER_GONE ? 0 : httpStatus, performance.now() - this.#call.startedAt);
    if (code) this.#pipeline.parts.metrics.errorAnswered(code);
    this.#received = [];
    this.#pipeline.ended(this);
  }

  #head(contentLength: number | null, cost: bigint | null): void {
    this.#headSent = true;
    const route = this.#knownRoute();
    this.#call.outlet.head({
      provider: route.connection.provider,
      model: route.model,
      streamed: this.#streamed,
      contentLength,
      costNano: cost,
    });
  }

  // Small things

  #expectedSince = 0;

  #expect(stage: string, withinMs: number): void {
    this.#stage = stage;
    this.#expectedSince = performance.now();
    this.#deadline = this.#expectedSince + withinMs;
  }

  /** Takes into account what has come but was not relayed yet, without writing it. */
  #absorb(): void {
    if (this.#relay && this.#phase === 'relaying' && this.#received.length > 0) this.relayReceived();
  }

  #takeReceived(): Buffer {
    const [first] = this.#received;
    const bytes = this.#received.length === 1 && first ? first : Buffer.concat(this.#received);
    this.#received = [];
    this.#receivedBytes = 0;
    return bytes;
  }

  #giveBack(usedTokens: number): void {
    this.#pipeline.parts.limits.settle(this.#call.key, this.#reserved, usedTokens);
  }

  #costOf(usage: TokenUsage): bigint {
    const rates = this.#knownRoute().rates;
    return rates === null
      ? 0n
      : costNano(rates, {
          input: usage.inputTokens,
          output: usage.outputTokens,
          cached: usage.cachedTokens,
          reasoning: usage.reasoningTokens,
        });
  }

  #line(
    status: UsageStatus,
    httpStatus: number,
    errorCode: ErrorCode | null,
    usage: TokenUsage,
    estimated: boolean,
    finishReason: string | null = null,
  ): string {
    const route = this.#knownRoute();
    const now = performance.now();
    return recordLine(this.#lineHead, {
      status,
      http_status: httpStatus,
      error_code: errorCode,
      estimated,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_tokens: usage.cachedTokens,
      reasoning_tokens: usage.reasoningTokens,
      cost_nano: this.#costOf(usage).toString(),
      finish_reason: finishReason,
      duration_ms: Math.round(now - this.#call.startedAt),
      first_token_ms: this.#firstTokenAt === 0 ? null : Math.round(this.#firstTokenAt - this.#call.startedAt),
      attempts:
        this.#sentAt === 0
          ? []
          : [
              {
                provider: route.connection.provider,
                model: route.upstreamModel,
                status: httpStatus,
                error: errorCode,
                duration_ms: Math.round(now - this.#sentAt),
              },
            ],
    });
  }

  #lastUpdate(
    status: UsageStatus,
    error: SluiceError | null,
    usage: TokenUsage,
    estimated: boolean,
    finishReason: string | null,
    cost: bigint,
  ): CompletionUpdate {
    if (status !== 'succeeded')
      return {
        type: 'failed',
        code: error?.code ?? 'aborted',
        message: error?.message ?? 'The caller went away.',
        aborted: status === 'aborted',
      };
    const durationMs = performance.now() - this.#call.startedAt;
    const firstTokenMs = this.#firstTokenAt === 0 ? null : this.#firstTokenAt - this.#call.startedAt;
    return { type: 'finished', finishReason, ...usage, estimated, costNano: cost, durationMs, firstTokenMs };
  }

  #isWatched(): boolean {
    this.#watched = this.#call.watch !== null || this.#pipeline.parts.live.watched(this.#call.key.accountId);
    return this.#watched;
  }

  #emit(update: CompletionUpdate): void {
    const { key, watch } = this.#call;
    watch?.(update);
    const content = update.type === 'delta' || update.type === 'reasoning' || update.type === 'toolCall';
    if (content && !key.liveContent) return;
    this.#pipeline.parts.live.publish({
      accountId: key.accountId,
      apiKeyId: key.id,
      requestId: this.requestId,
      model: this.#knownRoute().model,
      at: Date.now(),
      update,
    });
  }

  get #provider(): string {
    return this.#knownRoute().connection.provider;
  }

  #knownRoute(): Route {
    if (this.#route === null) throw new Error('no route yet');
    return this.#route;
  }

  #knownRequest(): Request {
    if (this.#request === null) throw new Error('no request yet');
    return this.#request;
  }
}

function relayReceived(exchange: Exchange): void {
  exchange.relayReceived();
}
