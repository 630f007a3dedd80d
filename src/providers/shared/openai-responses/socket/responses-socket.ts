import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { systemClock, type Clock } from '../../../../calendar/clock.ts';
import type { SluiceError } from '../../../../errors/index.ts';
import type { HeaderMap } from '../../../contract.ts';
import { boundedText } from '../../http/bounded-text.ts';
import { errorIn, lastEvent, streamOf, type SocketError } from './socket-events.ts';
import { SocketCall, type CallSocket, type SocketCallOptions } from './socket-call.ts';

/** OpenAI closes older ones. Source: developers.openai.com/api/docs/guides/websocket-mode. */
const LIFETIME_MS = 60 * 60_000;
const EXPIRED = 'websocket_connection_limit_reached';
/** Proxies close connections without traffic after about a minute. */
const PING_INTERVAL_MS = 20_000;
/** Responses to an upgrade of a server that has none at this path. */
const noSocketsHere: ReadonlySet<number> = new Set([404, 405, 426, 501]);

export interface ResponsesSocketOptions {
  /** The error of a response to the upgrade. */
  refused(status: number, headers: HeaderMap, body: string): SluiceError;
  /** The error of an `error` event. */
  failed(error: SocketError): SluiceError;
  onClose(): void;
  readonly clock?: Clock;
}

/**
 * A WebSocket to a provider's Responses API. Requests of one stream run one after another, those of different streams at the
 * same time. Source: OpenAI's API document, ResponsesClientEvent and ResponsesServerEvent.
 */
export class ResponsesSocket implements CallSocket {
  readonly #socket: WebSocket;
  readonly #options: ResponsesSocketOptions;
  readonly #clock: Clock;
  readonly #openedAt: number;
  /** By their streams, oldest first. An abandoned one stays until its last event. */
  readonly #calls = new Map<string, SocketCall>();
  #unsent: (() => void)[] = [];
  #isRetired = false;
  #isAlive = true;
  #cause: Error | null = null;

  constructor(socket: WebSocket, options: ResponsesSocketOptions) {
    const { clock = systemClock } = options;
    this.#socket = socket;
    this.#options = options;
    this.#clock = clock;
    this.#openedAt = clock.monotonic();
    const ping = clock.setInterval(() => this.#ping(), PING_INTERVAL_MS).unref();
    socket.once('open', () => {
      for (const send of this.#unsent.splice(0)) send();
    });
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('message', (data: Buffer) => {
      this.#isAlive = true;
      this.#receive(data.toString());
    });
    socket.once('unexpected-response', (_request, response) => void this.#refuse(response));
    socket.on('error', (error) => (this.#cause ??= error));
    socket.once('close', () => {
      ping.cancel();
      options.onClose();
      for (const call of this.#calls.values()) call.cut(this.#cause);
      this.#calls.clear();
    });
  }

  /** Whether it can take another request. */
  get isUsable(): boolean {
    const { readyState, OPEN, CONNECTING } = this.#socket;
    const isOpen = readyState === OPEN || readyState === CONNECTING;
    return isOpen && !this.#isRetired && this.#clock.monotonic() - this.#openedAt < LIFETIME_MS;
  }

  /** @param json of a `response.create` event */
  send(json: Buffer, options: SocketCallOptions): void {
    const call = new SocketCall(this, options);
    this.#calls.set(call.stream, call);
    this.updateReading();
    options.receiver.onConnecting(call);
    const send = (): void => {
      if (call.isOver) return;
      this.#socket.send(json, { binary: false });
      call.sent();
    };
    if (this.#socket.readyState === this.#socket.CONNECTING) this.#unsent.push(send);
    else send();
  }

  /** Stops reading while all calls are paused. What arrives for one of several waits in the call. */
  updateReading(): void {
    const open = [...this.#calls.values()].filter(({ isOver }) => !isOver);
    if (open.length > 0 && open.every(({ isPaused }) => isPaused)) this.#socket.pause();
    else this.#socket.resume();
  }

  abandon(): void {
    // Its messages would come before those of a later request.
    this.retire();
    this.updateReading();
  }

  /** Takes no further requests, and closes once those in progress have ended. */
  retire(): void {
    this.#isRetired = true;
    if ([...this.#calls.values()].every(({ isOver }) => isOver)) this.close();
  }

  close(): void {
    this.#isRetired = true;
    this.#socket.terminate();
  }

  #receive(json: string): void {
    const call = this.#callOf(json);
    if (call === null) return;
    const last = lastEvent(json);
    if (last === null) return call.event(json, false);
    this.#calls.delete(call.stream);
    this.updateReading();
    const error = errorIn(last);
    const isExpired = error?.error.code === EXPIRED;
    if (isExpired || this.#isRetired) this.retire();
    if (isExpired && !call.hasBegun) call.unserved('new socket');
    else if (error !== null) call.fail(this.#options.failed(error));
    else call.event(json, true);
  }

  /** A provider that answers no ping is out of reach. A paused socket does not read the answer. */
  #ping(): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    if (!this.#isAlive && !socket.isPaused) {
      this.#cause ??= new Error(`no answer to a ping within ${PING_INTERVAL_MS / 1_000} s`);
      return socket.terminate();
    }
    this.#isAlive = socket.isPaused;
    socket.ping();
  }

  /** Servers without streams do not name them, and answer in order. */
  #callOf(json: string): SocketCall | null {
    const [oldest, ...others] = this.#calls.values();
    if (oldest === undefined || others.length === 0) return oldest ?? null;
    const stream = streamOf(json);
    return stream === null ? (this.#calls.get('') ?? oldest) : (this.#calls.get(stream) ?? null);
  }

  async #refuse(response: IncomingMessage): Promise<void> {
    const { statusCode = 0, headers } = response;
    const body = await boundedText(response).catch(() => '');
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.close();
    for (const call of calls)
      if (noSocketsHere.has(statusCode)) call.unserved('http');
      else call.fail(this.#options.refused(statusCode, headers, body));
  }
}
