import { SluiceError, unreachable } from '../../../../errors/index.ts';
import type { Upstream, UpstreamReceiver } from '../../../contract.ts';

/** The socket of a call, as the call uses it. */
export interface CallSocket {
  /** Called when a call is paused or resumed. */
  updateReading(): void;
  /** A call ends, and the provider goes on with it: there is no message that cancels. */
  abandon(): void;
}

/** Where a provider serves what a socket of it does not. */
export type ServingPlace = 'new socket' | 'http';

export interface SocketCallOptions {
  readonly provider: string;
  /** A text that names its stream; '' for the one without a name. */
  readonly stream: string;
  readonly receiver: UpstreamReceiver;
  /** Called instead of the receiver where the provider did not run it, and serves it elsewhere. */
  onUnserved(place: ServingPlace): void;
}

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };
const LINE_BREAK = /\r\n?|\n/g;
/** Of events that wait while a call is paused and its socket is read for others. One more event than that fails the call. */
const MAX_WAITING_MB = 4;
const MAX_WAITING_BYTES = MAX_WAITING_MB * 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  deliver(): void;
}

/** One request of a provider's WebSocket. Its events reach the receiver as a stream of server-sent events. */
export class SocketCall implements Upstream {
  readonly stream: string;
  isSent = false;
  /** Whether nothing more reaches the receiver. */
  isOver = false;
  /** What arrives then waits. */
  isPaused = false;
  readonly #options: SocketCallOptions;
  readonly #socket: CallSocket;
  #hasBegun = false;
  /** Oldest first. */
  #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(socket: CallSocket, options: SocketCallOptions) {
    this.#socket = socket;
    this.#options = options;
    this.stream = options.stream;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  pause(): void {
    this.isPaused = true;
    this.#socket.updateReading();
  }

  resume(): void {
    this.isPaused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    // The receiver may pause it again at once.
    for (const one of waiting) {
      if (this.isPaused) this.#waiting.push(one);
      else this.#deliver(one);
    }
    this.#socket.updateReading();
  }

  abort(): void {
    if (this.isOver) return;
    this.#end();
    this.#socket.abandon();
  }

  sent(): void {
    this.isSent = true;
    if (!this.isOver) this.#options.receiver.onSent?.();
  }

  /** @param json of an event, which no other event follows where it is the last */
  event(json: string, isLast: boolean): void {
    if (this.isPaused && this.#waitingBytes > MAX_WAITING_BYTES) return this.#failUnread();
    this.#receive({ bytes: Buffer.byteLength(json), deliver: () => this.#relay(json, isLast) });
  }

  fail(error: SluiceError): void {
    this.#receive({ bytes: 0, deliver: () => this.#fail(error) });
  }

  /** The socket closed before the last event. */
  cut(cause: Error | null): void {
    const { provider } = this.#options;
    if (this.#hasBegun) this.fail(new SluiceError('provider_stream_cut', { values: { provider }, cause }));
    else this.fail(unreachable({ provider, cause }));
  }

  unserved(place: ServingPlace): void {
    if (this.isOver) return;
    this.#end();
    this.#options.onUnserved(place);
  }

  #receive(one: Waiting): void {
    if (this.isOver) return;
    this.#waitingBytes += one.bytes;
    if (this.isPaused) this.#waiting.push(one);
    else this.#deliver(one);
  }

  #deliver({ bytes, deliver }: Waiting): void {
    this.#waitingBytes -= bytes;
    if (!this.isOver) deliver();
  }

  #relay(json: string, isLast: boolean): void {
    const { receiver } = this.#options;
    if (!this.#hasBegun) receiver.onHead(200, HEADERS);
    this.#hasBegun = true;
    // White space between members may contain line breaks; JSON escapes those of texts.
    if (!this.isOver) receiver.onData(Buffer.from(`data: ${json.replaceAll(LINE_BREAK, '\ndata: ')}\n\n`));
    if (!isLast || this.isOver) return;
    this.#end();
    receiver.onEnd();
  }

  #fail(error: SluiceError): void {
    this.#end();
    this.#options.receiver.onFailure(error);
  }

  /** Pausing the socket would hold up its other calls, whose deadlines would blame the provider. */
  #failUnread(): void {
    if (this.isOver) return;
    const values = { limit: `${MAX_WAITING_MB} MB of events that the client has not read` };
    this.#fail(new SluiceError('websocket_stream_limit_reached', { values }));
    this.#socket.abandon();
  }

  #end(): void {
    this.isOver = true;
    this.#waiting = [];
  }
}
