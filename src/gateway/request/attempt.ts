import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../providers/contract.ts';
import type { StreamRelay } from '../capabilities/capability.ts';
import type { Refusal } from '../limits/fallback-limits.ts';
import { ReceivedBytes } from '../received-bytes.ts';
import type { Target } from '../routing/target.ts';
import type { Timeouts } from '../routing/timeouts.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const NO_PARAMETERS: readonly string[] = [];

type Send = (receiver: UpstreamReceiver) => readonly string[];

/** Receives the events of an attempt. None follows `attemptFailed`, `streamDone` or `answered`. */
export interface AttemptOwner {
  readonly isClientPaused: boolean;
  /** Maximum bytes of an unstreamed response; the default where undefined. */
  readonly maxAnswerBytes: number | undefined;
  /** A streamed response starts. @returns null where it cannot be relayed */
  startRelay(route: Target, contentType: string): StreamRelay | null;
  /** Bytes from the provider, before they are parsed. */
  received(bytes: Buffer): void;
  /** Complete events for the client. */
  relayed(bytes: Buffer): void;
  /** @param last bytes that arrived together with the end */
  streamDone(relay: StreamRelay, last: Buffer | null): void;
  /** The complete unstreamed response. */
  answered(bytes: Buffer): void;
  attemptFailed(error: SluiceError): void;
  /** Sets the deadline of the current stage. */
  expect(stage: string, withinMs: number): void;
}

/** One attempt to have a request served by one target. */
export class Attempt implements UpstreamReceiver {
  readonly route: Target;
  /** Parameters that were not sent to the provider. */
  dropped: readonly string[] = NO_PARAMETERS;
  readonly #owner: AttemptOwner;
  readonly #streamed: boolean;
  readonly #timeouts: Timeouts;
  #phase: 'waiting' | 'relaying' | 'over' = 'waiting';
  #upstream: Upstream | null = null;
  #relay: StreamRelay | null = null;
  readonly #received = new ReceivedBytes();
  #relayScheduled = false;
  #hasContent = false;
  #refusedLocally = false;

  constructor(owner: AttemptOwner, route: Target, streamed: boolean, timeouts: Timeouts) {
    this.#owner = owner;
    this.route = route;
    this.#streamed = streamed;
    this.#timeouts = timeouts;
  }

  get relay(): StreamRelay | null {
    return this.#relay;
  }

  /**
   * @param send returns the names of the parameters that are left out
   * @param refusal why the request may not be sent to the target, once that is known
   */
  send(send: Send, ownConnectTimeout: boolean, refusal: Refusal | Promise<Refusal>): void {
    if (!(refusal instanceof Promise)) return this.#send(send, ownConnectTimeout, refusal);
    void refusal.then((known) => {
      if (this.#phase === 'waiting') this.#send(send, ownConnectTimeout, known);
    });
  }

  #send(send: Send, ownConnectTimeout: boolean, refusal: Refusal): void {
    if (refusal !== null) {
      this.#refusedLocally = true;
      return this.onFailure(refusal);
    }
    if (ownConnectTimeout) this.#owner.expect('connection', this.#timeouts.connect);
    else this.onSent();
    try {
      this.dropped = send(this);
    } catch (error) {
      this.#refusedLocally = true;
      this.onFailure(toSluiceError(error));
    }
  }

  /** Closes the provider's socket and ignores all later events. */
  abort(): void {
    this.#end();
    this.#upstream?.abort();
  }

  /** Fails the attempt because of an internal error. */
  break(error: unknown): void {
    if (this.#phase === 'over') this.#upstream?.abort();
    else this.#fail(toSluiceError(error));
  }

  /** Whether it has ended. */
  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Whether it failed before the request was sent. */
  get refusedLocally(): boolean {
    return this.#refusedLocally;
  }

  pause(): void {
    this.#upstream?.pause();
  }

  resume(): void {
    this.#owner.expect('further data', this.#timeouts.betweenChunks);
    this.#upstream?.resume();
  }

  // Events of the provider

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
  }

  /** The request was written to a socket. */
  onSent(): void {
    if (this.#phase !== 'waiting') return;
    const { headers, answer } = this.#timeouts;
    this.#owner.expect(this.#streamed ? 'response headers' : 'response', this.#streamed ? headers : answer);
  }

  onHead(_status: number, headers: HeaderMap): void {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'relaying';
    if (!this.#streamed) return;
    this.#relay = this.#owner.startRelay(this.route, String(headers['content-type'] ?? ''));
    if (this.#relay === null) return;
    // An unstreamed response keeps the deadline that was set when the request was sent.
    this.#owner.expect('first token', this.#timeouts.firstToken);
  }

  onData(bytes: Buffer): void {
    if (this.#phase !== 'relaying') return;
    this.#owner.received(bytes);
    this.#received.push(bytes);
    if (this.#relay === null) {
      if (this.#received.length > (this.#owner.maxAnswerBytes ?? MAX_ANSWER_BYTES))
        this.#fail(this.#providerError('provider_invalid_response', 'the response is too long'));
      return;
    }
    // All parts of one socket read arrive in one turn of the event loop and are processed together.
    if (this.#relayScheduled) return;
    this.#relayScheduled = true;
    process.nextTick(relayReceived, this);
  }

  onEnd(): void {
    if (this.#phase !== 'relaying') return;
    if (this.#relay === null) {
      const bytes = this.#received.take();
      if (this.#streamed) this.#fail(this.#providerError('provider_invalid_response', 'the response is not a stream'));
      else {
        this.#end();
        this.#owner.answered(bytes);
      }
      return;
    }
    this.relayReceived();
    if (this.#isRelaying) this.#endStream(this.#relay);
  }

  onFailure(error: SluiceError): void {
    this.relayReceived();
    if (this.#phase !== 'over') this.#fail(error);
  }

  /** Relays the bytes received in this turn. */
  relayReceived(): void {
    this.#relayScheduled = false;
    const relay = this.#relay;
    if (relay === null || this.#phase !== 'relaying' || this.#received.length === 0) return;
    const out = relay.push(this.#received.take());
    if (relay.done) {
      this.#end();
      this.#owner.streamDone(relay, out);
      return;
    }
    if (out !== null) {
      this.#hasContent = true;
      this.#owner.relayed(out);
    }
    if (relay.failure) this.#fail(relay.failure);
    // Keep-alive comments are not a first token; after one they show that the provider is still working.
    else if (this.#hasContent && !this.#owner.isClientPaused)
      this.#owner.expect('further data', this.#timeouts.betweenChunks);
  }

  /** A stream without its end mark is complete if it reported a finish reason. */
  #endStream(relay: StreamRelay): void {
    if (!relay.isComplete) this.#fail(this.#providerError('provider_stream_cut'));
    else {
      this.#end();
      this.#owner.streamDone(relay, null);
    }
  }

  get #isRelaying(): boolean {
    return this.#phase === 'relaying';
  }

  #fail(error: SluiceError): void {
    this.abort();
    this.#owner.attemptFailed(error);
  }

  #end(): void {
    this.#phase = 'over';
    this.#received.clear();
  }

  #providerError(code: 'provider_invalid_response' | 'provider_stream_cut', detail?: string): SluiceError {
    const { provider } = this.route.connection;
    return new SluiceError(code, { values: { provider }, ...(detail !== undefined && { detail }) });
  }
}

/** Runs in its own turn, where an exception would end the process: it fails this request instead. */
function relayReceived(attempt: Attempt): void {
  try {
    attempt.relayReceived();
  } catch (error) {
    attempt.break(error);
  }
}
