import type { WebSocket } from 'ws';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { SluiceError } from '../../../errors/index.ts';
import {
  errorMessage,
  withStreamId,
  type MessageChannel,
} from '../../../gateway/capabilities/responses/socket/socket-response.ts';

/** Of output that the client has not read. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Proxies close connections without traffic after about a minute. */
const PING_INTERVAL_MS = 20_000;
/** How long a client may take to answer the closing handshake. */
const CLOSE_TIMEOUT_MS = 1_000;

/** The messages of one client's WebSocket. */
export class ClientSocket implements MessageChannel {
  readonly origin: string;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];
  #isAlive = true;
  /** One for all messages, after each of which it is called. */
  readonly #resume = (): void => {
    if (this.#waiting.length === 0 || this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  };

  constructor(socket: WebSocket, origin: string, clock: Clock = systemClock) {
    this.#socket = socket;
    this.origin = origin;
    this.#clock = clock;
    const ping = clock.setInterval(() => this.#ping(), PING_INTERVAL_MS).unref();
    socket.on('pong', () => (this.#isAlive = true));
    socket.once('close', () => ping.cancel());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(json: string): void {
    if (!this.isOpen) return;
    this.#socket.send(json, this.#resume);
  }

  sendError(error: SluiceError, streamId: string | null = null): void {
    this.send(withStreamId(errorMessage(error), streamId));
  }

  hasRoom(resume: () => void): boolean {
    if (this.#socket.bufferedAmount <= MAX_BUFFERED_BYTES) return true;
    this.#waiting.push(resume);
    return false;
  }

  /** Stops reading while the client sends faster than its requests run. */
  setReading(isReading: boolean): void {
    if (!this.isOpen) return;
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  close(code: number, reason: string): void {
    // A paused socket would not read the answer of the client.
    this.setReading(true);
    this.#socket.close(code, reason);
    const timer = this.#clock.setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS).unref();
    this.#socket.once('close', () => timer.cancel());
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** A client that answers no ping has gone without closing. A paused one cannot answer. */
  #ping(): void {
    if (!this.#isAlive && !this.#socket.isPaused) return this.#socket.terminate();
    this.#isAlive = this.#socket.isPaused;
    if (this.isOpen) this.#socket.ping();
  }
}
