import { SluiceError, toSluiceError, type ErrorCode } from '../../errors/index.ts';
import type { UpstreamReceiver } from '../../providers/contract.ts';
import { Attempt, type AttemptOwner } from './attempt.ts';
import type { Call, RequestDependencies } from '../call.ts';
import type { Answer, Capability, StreamRelay } from '../capabilities/capability.ts';
import { Deadline } from './deadline.ts';
import type { OpenRequest } from '../open-requests.ts';
import { noUsage } from '../limits/limit-store.ts';
import { withOutputCap } from './output-cap.ts';
import { partialOutcome, completeOutcome } from '../usage/request-outcome.ts';
import type { DurabilityWaiter } from '../usage/journal/usage-journal.ts';
import { logFailure } from './log-failure.ts';
import type { CapabilityMetrics } from '../metrics/metrics.ts';
import { openRequest, reserve, type Opening } from './opening.ts';
import { recordRejected } from './record-rejected.ts';
import { providerCall, release, valueOf, type RequestInput } from '../request-input.ts';
import type { Guard, GuardOwner } from '../moderation-guard/guard.ts';
import type { FailureClass } from '../routing/failure-class.ts';
import type { Target } from '../routing/target.ts';
import type { RequestOutcome } from '../usage/usage-line.ts';
import type { UsageStatus } from '../usage/usage-record.ts';
import { CLIENT_CLOSED_REQUEST, headOf, publishAnswer, relayOptions, workOf } from './work.ts';
import type { Phase, Release, Work } from './work.ts';

/**
 * Runs one request: parse, resolve, admit, begin, try, relay, settle. Every method is called by an event. The phase
 * defines which events are still accepted, so that a disconnect, the provider's response and a deadline may arrive in
 * any order.
 */
export class Exchange<Request, Facts> implements OpenRequest, AttemptOwner, GuardOwner, DurabilityWaiter {
  /** Its index in `OpenExchanges`. */
  slot = -1;
  isClientPaused = false;
  readonly key: Call['key'];
  readonly maxAnswerBytes: number | undefined;
  readonly #parts: RequestDependencies;
  readonly #capability: Capability<Request, Facts>;
  readonly #metrics: CapabilityMetrics;
  readonly #call: Call;
  readonly #onEnd: (exchange: OpenRequest) => void;
  readonly #deadline: Deadline;
  #phase: Phase = 'opening';
  /** The request body. Released once a response arrives: prompts are long, and thousands of requests may be open. */
  #input: RequestInput | null;
  /** `#input`, parsed. Released while the response runs; a further attempt parses the input again. */
  #opening: Opening<Request> | null = null;
  #admitted: Work<Facts> | null = null;
  #attempt: Attempt | null = null;
  /** The attempt that has received its first token. */
  #answering: Attempt | null = null;
  #guard: Guard | null = null;
  /** The error of the last attempt that reached a provider. */
  #lastProviderError: SluiceError | null = null;
  /** The failure of the last attempt, while trials of another target run. */
  #pendingFailure: SluiceError | null = null;
  #headSent = false;
  #release: Release = { disconnected: true };
  #ending: RequestOutcome | null = null;

  constructor(
    parts: RequestDependencies,
    capability: Capability<Request, Facts>,
    call: Call,
    input: RequestInput,
    onEnd: (exchange: OpenRequest) => void,
  ) {
    this.#parts = parts;
    this.#deadline = new Deadline(parts.clock);
    this.#onEnd = onEnd;
    this.#input = input;
    this.#capability = capability;
    this.#call = call;
    this.key = call.key;
    this.maxAnswerBytes = capability.maxAnswerBytes;
    this.#metrics = parts.metrics.capability(capability.name);
    this.#metrics.openRequests++;
  }

  run(input = this.#input): void {
    if (input === null || this.#phase !== 'opening') return;
    this.#input = input;
    try {
      const opening = openRequest(this.#parts, this.#capability, this.#call, input);
      if (opening instanceof Promise) return this.#whenResolved(opening, (body) => this.run(body));
      this.#opening = opening;
      this.#guard = opening.guard;
      const judging = opening.guard?.begin(this);
      if (judging === undefined) this.#admit(opening);
      else this.#whenResolved(judging, () => this.#admit(opening));
    } catch (error) {
      this.refuse(toSluiceError(error));
    }
  }

  /** Rejects a request before its begin record. */
  refuse(error: SluiceError): void {
    if (this.#phase !== 'opening') return;
    const capped = withOutputCap(this.#capability, this.#call, this.#opening, this.#input, error);
    if (capped !== null) return this.run(capped);
    logFailure(this.#parts.log, this.#call.requestId, error);
    recordRejected(this.#parts, this.#call, this.#capability.name, this.#opening, error);
    this.#end(error.status, error.code);
    this.#call.response.fail(error, null);
  }

  /** The client disconnected: closes the provider's connection and settles the output so far. */
  onClientDisconnect(): void {
    if (this.#phase === 'opening') this.#end(CLIENT_CLOSED_REQUEST, null);
    if (!this.#isUnderWay()) return;
    this.#attempt?.relayReceived();
    // The bytes received may have included the end.
    if (!this.#isUnderWay()) return;
    this.#abortAttempt();
    this.#release = { disconnected: true };
    this.#settlePartial('aborted', CLIENT_CLOSED_REQUEST, null);
  }

  onClientDrained(): void {
    if (!this.isClientPaused) return;
    this.isClientPaused = false;
    this.#attempt?.resume();
  }

  terminate(error: SluiceError): void {
    if (this.#phase === 'opening') return this.refuse(error);
    if (!this.#isUnderWay()) return;
    this.#abortAttempt();
    this.#failWith(error);
  }

  checkDeadline(now: number): void {
    if (!this.#deadline.hasPassed(now)) return;
    const passed = this.#deadline.describe(now);
    this.#deadline.clear();
    if (this.isClientPaused) {
      this.onClientDisconnect();
      return this.#call.response.abort();
    }
    if (this.#pendingFailure !== null) return this.#failWith(this.#pendingFailure);
    const values = { provider: this.#route.connection.provider, ...passed };
    this.#attempt?.abort();
    this.attemptFailed(new SluiceError('provider_timeout', { values }));
  }

  onDurable(): void {
    if (this.#phase === 'beginning') this.#try(this.#work.route);
    else if (this.#phase === 'settling') this.#finishSafely();
  }

  onJournalFailure(error: Error): void {
    if (this.#phase === 'beginning')
      this.#failWith(new SluiceError('metering_unavailable', { retryAfterMs: 1_000, cause: error }));
    // The settle record stays in memory until it can be written; the client does not wait for that.
    else if (this.#phase === 'settling') this.#finishSafely();
  }

  // Events of the attempt

  startRelay(route: Target, contentType: string): StreamRelay | null {
    return this.#capability.relayStream(relayOptions(this.#work, route, contentType));
  }

  received(bytes: Buffer): void {
    this.#admitted?.cache?.append(bytes);
  }

  relayed(bytes: Buffer): void {
    if (this.#phase !== 'trying') return;
    this.#firstToken();
    if (this.#guard === null) this.show(bytes);
    else this.#guard.relayed(bytes);
    if (this.#work.metering.isBudgeted) this.#work.metering.ensureBudget(this.#attempt?.relay ?? null, this);
  }

  show(bytes: Buffer): boolean {
    if (!this.#headSent) {
      // From here on no other target can take over, and the prompt is released.
      this.#forgetInput();
      this.#head(null, null, this.#attempt?.relay?.contentType);
    }
    if (this.#call.response.write(bytes)) return true;
    this.pause(this.#work.plan.timeouts.client);
    return false;
  }

  /** Pauses the provider until `onClientDrained`. */
  pause(withinMs = Infinity): void {
    this.isClientPaused = true;
    this.#deadline.expect('', withinMs);
    this.#attempt?.pause();
  }

  /** The last block is sent with the end: one write costs half of two. */
  streamDone(relay: StreamRelay, last: Buffer | null): void {
    if (last !== null) this.#firstToken();
    this.#attemptSucceeded(relay.usage?.outputTokens ?? relay.estimatedOutputTokens);
    const settle = (rest: Buffer | null): void => {
      this.#release = { last: rest, bytes: relay.closing, costNano: null };
      this.#settlePartial('succeeded', 200, null);
    };
    this.#deadline.clear();
    if (this.#guard === null) settle(last);
    else this.#guard.done(last, settle);
  }

  answered(bytes: Buffer): void {
    const { facts, metering } = this.#work;
    let answer: Answer;
    try {
      answer = this.#capability.readAnswer(this.#route.connection.provider, bytes, facts, metering);
    } catch (error) {
      return this.attemptFailed(toSluiceError(error));
    }
    this.#firstToken();
    this.#attemptSucceeded(null);
    const ending = completeOutcome(metering, answer);
    this.#ending = ending;
    this.#release = { last: null, bytes, costNano: ending.cost, contentType: answer.contentType };
    this.#deadline.clear();
    publishAnswer(this.#work, answer, () => this.#settle(ending));
  }

  /** Tries the next target, unless there is none or the client has received output. */
  attemptFailed(error: SluiceError): void {
    if (this.#phase !== 'trying') return;
    const { selection, metering } = this.#work;
    const local = this.#attempt?.refusedLocally === true;
    metering.attemptFailed(error);
    const failure = local ? selection.refusedLocally(this.#route, error) : selection.failed(this.#route, error);
    // Report the provider's failure, not that of a later target which could not accept the request.
    const reported = local ? (this.#lastProviderError ?? error) : error;
    this.#lastProviderError = reported;
    if (this.#headSent || this.#input === null) this.#failWith(reported);
    else this.#tryNext(this.#route, failure, reported);
  }

  expect(stage: string, withinMs: number): void {
    this.#deadline.expect(stage, withinMs);
  }

  #admit(opening: Opening<Request>): void {
    if (this.#phase !== 'opening') return;
    const reserving = reserve(this.#parts, this.#call, opening);
    if (reserving === undefined) this.#begin(opening);
    else this.#whenResolved(reserving, () => this.#begin(opening));
  }

  #whenResolved<T>(waitedFor: Promise<T>, then: (value: T) => void): void {
    waitedFor.then(then).catch((error: unknown) => this.refuse(toSluiceError(error)));
  }

  #begin(opening: Opening<Request>): void {
    // The client disconnected while a remote store was called.
    if (this.#phase !== 'opening') return this.#parts.limits.settle(this.#call.key, opening.reservation, noUsage);
    this.#admitted = workOf(this.#parts, this.#capability, this.#call, this.#metrics, opening);
    this.#phase = 'beginning';
    this.#admitted.metering.begin(this);
  }

  #try(route: Target): void {
    const { plan, selection, streamed, metering, publisher, cache } = this.#work;
    const input = this.#input;
    if (input === null) return;
    this.#phase = 'trying';
    const attempt = new Attempt(this, route, streamed, plan.timeouts);
    this.#attempt = attempt;
    metering.attemptSent(route);
    selection.onAttemptStarted(route);
    cache?.startRecording();
    this.#guard?.restart();
    publisher.model = route.model;
    if (publisher.isWatched)
      publisher.publish({ type: 'started', model: route.model, provider: route.connection.provider });
    const send = (receiver: UpstreamReceiver): readonly string[] => {
      const { request, outline } = this.#opening ?? { request: this.#capability.parse(valueOf(input)), outline: null };
      this.#opening = null;
      const call = providerCall(this.#call, plan, route, input, outline, this.#parts.reasoning);
      return this.#capability.send(route.connection, request, call, receiver);
    };
    attempt.send(send, plan.ownConnectTimeout, metering.admit(route));
  }

  #tryNext(failed: Target, failure: FailureClass, error: SluiceError): void {
    const { selection, plan } = this.#work;
    // May be called again once a trial shows whether another target works.
    const next = selection.next(failed, failure, error, () => {
      if (this.#phase === 'trying') this.#tryNext(failed, failure, error);
    });
    this.#pendingFailure = next === 'wait' ? error : null;
    if (next === 'wait') return this.#deadline.expect('', plan.timeouts.headers);
    if (next === null) return this.#failWith(error);
    logFailure(this.#parts.log, this.#call.requestId, error);
    this.#attempt = null;
    this.#deadline.clear();
    if (next.delayMs === 0) this.#try(next.route);
    else this.#parts.clock.setTimeout(() => this.#phase === 'trying' && this.#try(next.route), next.delayMs).unref();
  }

  #attemptSucceeded(outputTokens: number | null): void {
    const { selection, metering, cache } = this.#work;
    selection.succeeded(this.#route);
    cache?.store(this.#route, this.#attempt?.dropped ?? []);
    const seconds = outputTokens === null ? 0 : metering.sinceFirstTokenMs / 1_000;
    if (outputTokens !== null && seconds > 0) this.#route.health.measuredThroughput(outputTokens / seconds);
  }

  #firstToken(): void {
    if (this.#answering === this.#attempt) return;
    this.#answering = this.#attempt;
    const { health } = this.#route;
    health.onAnswering();
    health.measuredFirstToken(this.#work.metering.markFirstToken());
  }

  /** Aborts the attempt without an outcome for its target. */
  #abortAttempt(): void {
    if (this.#attempt === null || this.#attempt.isOver) return;
    this.#attempt.abort();
    this.#work.selection.recordInconclusive(this.#attempt.route);
  }

  #failWith(error: SluiceError): void {
    if (!this.#isUnderWay()) return;
    logFailure(this.#parts.log, this.#call.requestId, error);
    this.#release = { error };
    this.#settlePartial('failed', error.status, error);
  }

  #settlePartial(status: UsageStatus, httpStatus: number, error: SluiceError | null): void {
    // The complete response has arrived: its usage counts in any case.
    if (this.#ending !== null) return this.#settle({ ...this.#ending, status, httpStatus, error });
    const shown = this.#headSent || this.#guard?.withheld === true;
    const { facts, metering } = this.#work;
    const unanswered =
      this.#capability.usageWithoutResponse?.(facts, metering.inputTokens, metering) ?? metering.estimate(0);
    this.#settle(
      partialOutcome(metering, this.#attempt?.relay ?? null, { shown, unanswered }, { status, httpStatus, error }),
    );
  }

  #settle(ending: RequestOutcome): void {
    this.#phase = 'settling';
    this.#guard?.end();
    this.#deadline.clear();
    this.#ending = ending;
    this.#work.metering.settle(ending, this);
  }

  /** A settled request ends, even if writing to the client fails. */
  #finishSafely(): void {
    try {
      this.#finish();
    } catch (error) {
      logFailure(this.#parts.log, this.#call.requestId, toSluiceError(error));
      if (this.#phase !== 'ended') this.#end(500, 'internal_error');
      this.#call.response.abort();
    }
  }

  #finish(): void {
    const { response } = this.#call;
    const { metering, publisher } = this.#work;
    const { connection, model } = this.#route;
    const streamed = this.#attempt?.relay != null;
    const release = this.#release;
    if (publisher.isWatched && this.#ending) publisher.publish(metering.lastUpdate(this.#ending));
    if ('error' in release) {
      this.#end(release.error.status, release.error.code);
      response.fail(release.error, { provider: connection.provider, model });
    } else if ('bytes' in release) {
      if (!this.#headSent)
        if (streamed) this.#head(null, null, this.#attempt?.relay?.contentType);
        else this.#head(release.bytes.length, release.costNano, release.contentType);
      this.#end(200, null);
      if (release.last !== null) response.write(release.last);
      response.end(release.bytes, this.#ending?.cost ?? null);
    } else this.#end(CLIENT_CLOSED_REQUEST, null);
  }

  #end(httpStatus: number, code: ErrorCode | null): void {
    this.#phase = 'ended';
    this.#guard?.end();
    this.#forgetInput();
    this.#opening = null;
    this.#metrics.openRequests--;
    const durationMs = this.#parts.clock.monotonic() - this.#call.startedAt;
    this.#metrics.requestEnded(httpStatus === CLIENT_CLOSED_REQUEST ? 0 : httpStatus, durationMs);
    if (code) this.#parts.metrics.errorAnswered(code);
    this.#onEnd(this);
  }

  #forgetInput(): void {
    release(this.#input);
    this.#input = null;
  }

  #head(contentLength: number | null, costNano: bigint | null, contentType = 'application/json'): void {
    this.#headSent = true;
    const head = headOf(this.#work, this.#route, this.#attempt);
    this.#call.response.head({ ...head, contentType, contentLength, costNano: costNano ?? head.costNano });
  }

  #isUnderWay(): boolean {
    return this.#phase === 'beginning' || this.#phase === 'trying';
  }

  /** The current or last target. */
  get #route(): Target {
    return this.#attempt?.route ?? this.#work.route;
  }

  get #work(): Work<Facts> {
    if (this.#admitted === null) throw new Error('the request is not admitted yet');
    return this.#admitted;
  }
}
