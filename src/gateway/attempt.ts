import { SluiceError, toSluiceError } from '../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../providers/contract.ts';
import type { StreamRelay } from './capabilities/capability.ts';
import type { Refusal } from './limits/fallback-limits.ts';
import { ReceivedBytes } from './received-bytes.ts';
import type { Target } from './routing/target.ts';
import type { Timeouts } from './timeouts.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const nothing: readonly string[] = [];

type Send = (receiver: UpstreamReceiver) => readonly string[];

/** Whom a try tells of what comes. After `attemptFailed`, `streamDone` or `answered` nothing more is told. */
export interface AttemptOwner {
  readonly callerPaused: boolean;
  /** Bytes of a whole answer. */
  readonly mostAnswerBytes: number | undefined;
  /** A streamed answer begins. Null where it is none that can be relayed. */
  startRelay(route: Target, contentType: string): StreamRelay | null;
  /** What the provider sends, before it is looked at. */
  received(bytes: Buffer): void;
  /** Whole events for the caller. */
  relayed(bytes: Buffer): void;
  /** @param last what came together with the end */
  streamDone(relay: StreamRelay, last: Buffer | null): void;
  /** The whole, unstreamed answer. */
  answered(bytes: Buffer): void;
  attemptFailed(error: SluiceError): void;
  /** Names what is waited for, and how long that may take. */
  expect(stage: string, withinMs: number): void;
}

/** One try to have a request served by one target. */
export class Attempt implements UpstreamReceiver {
  readonly route: Target;
  /** Parameters that the provider was not sent. */
  dropped: readonly string[] = nothing;
  readonly #owner: AttemptOwner;
  readonly #streamed: boolean;
  readonly #timeouts: Timeouts;
  #phase: 'waiting' | 'relaying' | 'over' = 'waiting';
  #upstream: Upstream | null = null;
  #relay: StreamRelay | null = null;
  readonly #received = new ReceivedBytes();
  #relayScheduled = false;
  #said = false;
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
   * @param refusal why the target may not be asked, once that is known
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

  /** Closes the provider's socket, and hears no more. */
  abort(): void {
    this.#end();
    this.#upstream?.abort();
  }

  /** Ends it by a fault of our own. */
  break(error: unknown): void {
    if (this.#phase === 'over') this.#upstream?.abort();
    else this.#fail(toSluiceError(error));
  }

  /** Nothing more comes of it. */
  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** It failed before the provider was asked. */
  get refusedLocally(): boolean {
    return this.#refusedLocally;
  }

  pause(): void {
    this.#upstream?.pause();
  }

  resume(): void {
    this.#owner.expect('next part', this.#timeouts.betweenChunks);
    this.#upstream?.resume();
  }

  // What the provider does

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
  }

  /** The request is on a socket. */
  onSent(): void {
    if (this.#phase !== 'waiting') return;
    const { headers, answer } = this.#timeouts;
    this.#owner.expect(this.#streamed ? 'response headers' : 'answer', this.#streamed ? headers : answer);
  }

  onHead(_status: number, headers: HeaderMap): void {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'relaying';
    if (!this.#streamed) return;
    this.#relay = this.#owner.startRelay(this.route, String(headers['content-type'] ?? ''));
    if (this.#relay === null) return;
    // An answer in one piece keeps the time that it was given when it was sent.
    this.#owner.expect('first token', this.#timeouts.firstToken);
  }

  onData(bytes: Buffer): void {
    if (this.#phase !== 'relaying') return;
    this.#owner.received(bytes);
    this.#received.push(bytes);
    if (this.#relay === null) {
      if (this.#received.length > (this.#owner.mostAnswerBytes ?? MAX_ANSWER_BYTES))
        this.#fail(this.#providerError('provider_invalid_response', 'the answer is too long'));
      return;
    }
    // All parts of one socket read arrive in one turn: they are looked at, and written on, as one.
    if (this.#relayScheduled) return;
    this.#relayScheduled = true;
    process.nextTick(relayReceived, this);
  }

  onEnd(): void {
    if (this.#phase !== 'relaying') return;
    if (this.#relay === null) {
      const bytes = this.#received.take();
      if (this.#streamed)
        this.#fail(this.#providerError('provider_invalid_response', 'not the stream that was asked for'));
      else {
        this.#end();
        this.#owner.answered(bytes);
      }
      return;
    }
    this.relayReceived();
    if (this.#stillRelaying) this.#endStream(this.#relay);
  }

  onFailure(error: SluiceError): void {
    this.relayReceived();
    if (this.#phase !== 'over') this.#fail(error);
  }

  /** Relays what the provider has sent in this turn. */
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
      this.#said = true;
      this.#owner.relayed(out);
    }
    if (relay.failure) this.#fail(relay.failure);
    // What keeps the connection alive is no first token, but shows later that the provider is still at work.
    else if (this.#said && !this.#owner.callerPaused) this.#owner.expect('next part', this.#timeouts.betweenChunks);
  }

  /** A stream that ends without its mark is whole where it said why it finished. */
  #endStream(relay: StreamRelay): void {
    if (!relay.isComplete) this.#fail(this.#providerError('provider_stream_cut'));
    else {
      this.#end();
      this.#owner.streamDone(relay, null);
    }
  }

  get #stillRelaying(): boolean {
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

/** In a turn of its own: what is thrown there would end the process, and is this request's alone. */
function relayReceived(attempt: Attempt): void {
  try {
    attempt.relayReceived();
  } catch (error) {
    attempt.break(error);
  }
}
