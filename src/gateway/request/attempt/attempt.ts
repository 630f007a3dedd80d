import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../../protocols/canonical/stream-part.ts';
import type { ChatReceiver, HeaderMap, Upstream } from '../../../providers/contract.ts';
import type { StreamRelay } from '../../capabilities/capability.ts';
import type { Refusal } from '../../limits/fallback-limits.ts';
import type { Target } from '../../routing/target.ts';
import { withUsed, type AttemptEnd } from './attempt-end.ts';
import type { AdmittedRequest } from '../admitted-request.ts';
import { Relay } from './relay.ts';
import type { RequestContext } from '../request-context.ts';
import type { EndReason } from '../request-signal.ts';
import type { PassedDeadline } from '../deadline.ts';
import type { AttemptSummary } from './attempt-summary.ts';
import { MAX_RESPONSE_BYTES, parseResponse } from './parse-response.ts';
import { isRefusal, isUnsent, providerError } from './provider-error.ts';
import { recordBytes, recordParts, recordResult } from './record-output.ts';
import { send } from './send.ts';
import { ReceivedOutput, type OutputReceiver } from '../../received-output.ts';

/** One attempt to have a request served by one target. Receives the provider's events. */
export class Attempt<Request, Summary> implements ChatReceiver, OutputReceiver, AttemptSummary {
  readonly target: Target;
  dropped: readonly string[] = [];
  stream: StreamRelay | null = null;
  readonly #context: RequestContext<Request, Summary>;
  readonly #request: AdmittedRequest<Summary>;
  readonly #relay: Relay<Request, Summary>;
  #phase: 'waiting' | 'relaying' | 'over' = 'waiting';
  #upstream: Upstream | null = null;
  readonly #received = new ReceivedOutput();
  #hasContent = false;
  #resolve: (end: AttemptEnd) => void = () => undefined;

  constructor(context: RequestContext<Request, Summary>, request: AdmittedRequest<Summary>, target: Target) {
    this.#context = context;
    this.#request = request;
    this.target = target;
    this.#relay = new Relay(context, request, this);
  }

  /** Sends the request. Resolves when the attempt is over, and never rejects. */
  run(): Promise<AttemptEnd> {
    const { signal, deadline } = this.#context;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      signal.listen(this);
      deadline.listener = this;
      this.#context.relay = this.#relay;
      this.#request.gate?.restart(this.#relay);
      const refusal = this.#request.metering.reserveModelLimits(this.target);
      if (!(refusal instanceof Promise)) return this.#send(refusal);
      void refusal.catch(toSluiceError).then((known) => this.#send(known));
    });
  }

  /** @param refusal why the request may not be sent to the target */
  #send(refusal: Refusal): void {
    const { route } = this.#request;
    if (this.#phase !== 'waiting') return;
    if (refusal !== null) return this.#fail(refusal, true);
    if (route.ownConnectTimeout) this.#context.deadline.expect('connection', route.timeouts.connect);
    else this.onSent();
    try {
      this.dropped = send(this.#context, this.#request, this.target, this);
    } catch (error) {
      if (!this.#isOver) this.#fail(toSluiceError(error), true);
    }
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#relay.upstream = upstream;
  }

  /** The request was written to a socket. */
  onSent(): void {
    if (this.#phase !== 'waiting') return;
    const { headers, answer } = this.#request.route.timeouts;
    if (this.#request.streamed) this.#context.deadline.expect('response headers', headers);
    else this.#context.deadline.expect('response', answer);
  }

  onHead(_status: number, headers: HeaderMap): void {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'relaying';
    if (!this.#request.streamed) return;
    this.stream = this.#relay.start(String(headers['content-type'] ?? ''));
    if (this.stream === null) return;
    // An unstreamed response keeps the deadline that was set when the request was sent.
    this.#context.deadline.expect('first token', this.#request.route.timeouts.firstToken);
  }

  onData(bytes: Buffer): void {
    if (this.#phase !== 'relaying') return;
    recordBytes(this.#context, this.#request, bytes, this.stream !== null);
    this.#received.push(bytes);
    if (this.stream !== null) this.#received.schedule(this);
    else if (this.#received.bytes > (this.#context.capability.maxResponseBytes ?? MAX_RESPONSE_BYTES))
      this.#fail(providerError(this.target, 'provider_invalid_response', 'the response is too long'));
  }

  onParts(parts: StreamPart[]): void {
    if (this.#phase !== 'relaying') return;
    recordParts(this.#context, this.#request, parts);
    this.#received.pushParts(parts);
    this.#received.schedule(this);
  }

  onResult(result: GenerationResult): void {
    if (this.#phase === 'relaying') this.#received.result = recordResult(this.#context, result);
  }

  onEnd(): void {
    if (this.#phase !== 'relaying') return;
    if (this.stream !== null) {
      this.relayReceived(true);
      if (this.#isOver) return;
      if (this.stream.isComplete) return this.#finish({ type: 'streamed', stream: this.stream, last: null });
      return this.#fail(providerError(this.target, 'provider_stream_cut'));
    }
    const end = parseResponse(this.#context, this.#request, this.target, this.#received);
    return end.type === 'failed' ? this.#cancel(end) : this.#finish(end);
  }

  onFailure(error: SluiceError): void {
    this.relayReceived();
    const isLocal = isUnsent(this.#upstream) && isRefusal(error);
    if (!this.#isOver) this.#cancel({ type: 'failed', error, isLocal });
  }

  /** Relays what was received in this turn. @param isEnd whether nothing follows: the end of the response goes in the same write */
  relayReceived(isEnd = false): void {
    const { stream } = this;
    if (stream === null || this.#phase !== 'relaying' || this.#received.isEmpty) return;
    const out = this.#received.relayTo(stream);
    // A stream without its end mark is complete if it reported a finish reason.
    if (stream.done || (isEnd && stream.isComplete && stream.failure === null))
      return this.#finish({ type: 'streamed', stream, last: out });
    if (out !== null) {
      this.#hasContent = true;
      this.#relay.relay(out);
      // The client may have disconnected during the write.
      if (this.#isOver) return;
    }
    if (stream.failure) this.#fail(stream.failure);
    // Keep-alive comments are not a first token; after one they show that the provider is still working.
    else if (this.#hasContent && !this.#relay.isPaused)
      this.#context.deadline.expect('further data', this.#request.route.timeouts.betweenChunks);
  }

  /** Fails the attempt because of an internal error. */
  break(error: unknown): void {
    if (this.#isOver) this.#upstream?.abort();
    else this.#fail(toSluiceError(error));
  }

  onAbort(reason: EndReason): void {
    if (this.#isOver) return;
    if (reason.type === 'disconnected') this.relayReceived();
    // The bytes received may have included the end.
    if (this.#isOver) return;
    if (isUnsent(this.#upstream)) this.#request.metering.recordUnsentAttempt();
    this.#cancel({ type: 'aborted', reason });
  }

  onDeadline(passed: PassedDeadline): void {
    if (this.#relay.isPaused) {
      this.#context.onClientDisconnect();
      return this.#context.call.response.abort();
    }
    const values = { provider: this.target.connection.provider, ...passed };
    if (!this.#isOver) this.#fail(new SluiceError('provider_timeout', { values }));
  }

  #fail(error: SluiceError, isLocal = false): void {
    this.#cancel({ type: 'failed', error, isLocal });
  }

  /** Closes the provider's connection, too. */
  #cancel(end: AttemptEnd): void {
    this.#finish(end);
    this.#upstream?.abort();
  }

  /** Later events of the provider are ignored. */
  #finish(end: AttemptEnd): void {
    if (end.type === 'answered' || (end.type === 'streamed' && end.last !== null)) this.#relay.onFirstOutput();
    this.#phase = 'over';
    this.#request.metering.attempts.headers = this.#upstream?.responseHeaders ?? null;
    this.#relay.upstream = null;
    this.#received.clear();
    this.#context.deadline.clear();
    this.#resolve(withUsed(end, this.#upstream));
  }

  get #isOver(): boolean {
    return this.#phase === 'over';
  }
}
