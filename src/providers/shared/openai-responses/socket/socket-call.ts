import { SluiceError } from '../../../../errors/index.ts';
import type { Upstream, UpstreamReceiver } from '../../../contract.ts';

/** The socket of a call, as the call uses it. */
export interface CallSocket {
  setPaused(call: SocketCall, isPaused: boolean): void;
  /** The provider goes on with it: there is no message that cancels. */
  abandon(call: SocketCall): void;
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

/** One request of a provider's WebSocket. Its events reach the receiver as a stream of server-sent events. */
export class SocketCall implements Upstream {
  readonly stream: string;
  isSent = false;
  /** Whether nothing more reaches the receiver. */
  isOver = false;
  readonly #options: SocketCallOptions;
  readonly #socket: CallSocket;
  #hasBegun = false;

  constructor(socket: CallSocket, options: SocketCallOptions) {
    this.#socket = socket;
    this.#options = options;
    this.stream = options.stream;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  pause(): void {
    this.#socket.setPaused(this, true);
  }

  resume(): void {
    this.#socket.setPaused(this, false);
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#socket.abandon(this);
  }

  sent(): void {
    this.isSent = true;
    if (!this.isOver) this.#options.receiver.onSent?.();
  }

  /** @param json of an event, which no other event follows where it is the last */
  event(json: string, isLast: boolean): void {
    const { receiver } = this.#options;
    if (this.isOver) return;
    if (!this.#hasBegun) receiver.onHead(200, HEADERS);
    this.#hasBegun = true;
    // White space between members may contain line breaks; JSON escapes those of texts.
    if (!this.isOver) receiver.onData(Buffer.from(`data: ${json.replaceAll(LINE_BREAK, '\ndata: ')}\n\n`));
    if (!isLast || this.isOver) return;
    this.isOver = true;
    receiver.onEnd();
  }

  fail(error: SluiceError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#options.receiver.onFailure(error);
  }

  /** The socket closed before the last event. */
  cut(cause: Error | null): void {
    const code = this.#hasBegun ? 'provider_stream_cut' : 'provider_unreachable';
    this.fail(new SluiceError(code, { values: { provider: this.#options.provider }, cause }));
  }

  unserved(place: ServingPlace): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#options.onUnserved(place);
  }
}
