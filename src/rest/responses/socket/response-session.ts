import type { WebSocket } from 'ws';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import { readTurnRequest, type TurnRequest } from '../../../gateway/capabilities/responses/socket/turn-request.ts';
import { MAX_BODY_BYTES } from '../../body/read-body.ts';
import type { ClientSocket } from './client-socket.ts';

/** Source: developers.openai.com/api/docs/guides/websocket-mode. */
const LIFETIME_MS = 60 * 60_000;
const LIFETIME_MINUTES = LIFETIME_MS / 60_000;
/** Streams with open requests. */
const MAX_STREAMS = 16;
/** Requests of one stream that wait for the one before them. */
const MAX_WAITING = 16;
/** WebSocket close codes. Source: RFC 6455, 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** A stream of a socket: its requests run one after another. */
export interface SessionStream {
  readonly waiting: TurnRequest[];
  isRunning: boolean;
}

export interface SessionOptions {
  /** Runs one request to its end. Never rejects. */
  run(turn: TurnRequest, stream: SessionStream): Promise<void>;
  /** Records a message that is no valid request. */
  reject(error: SluiceError, streamId: string | null, message: Buffer): void;
  /** A stream has ended: it gave way to another, or the socket is closed. */
  onStreamEnd(stream: SessionStream): void;
  /** Called once, when the socket is closed. */
  onClose(): void;
  readonly clock?: Clock;
}

interface Closing {
  readonly code: number;
  readonly error: SluiceError;
}

/** The requests of one WebSocket: those of one stream run in their order, those of different streams at the same time. */
export class ResponseSession {
  readonly #socket: ClientSocket;
  readonly #options: SessionOptions;
  /** The name of a stream is its `stream_id`; the one without is ''. */
  readonly #streams = new Map<string, SessionStream>();
  #waitingBytes = 0;
  #closing: Closing | null = null;

  constructor(client: ClientSocket, socket: WebSocket, options: SessionOptions) {
    this.#socket = client;
    this.#options = options;
    const { clock = systemClock } = options;
    const expired = new SluiceError('websocket_connection_limit_reached', { values: { minutes: LIFETIME_MINUTES } });
    const lifetime = clock.setTimeout(() => this.#closeWhenIdle({ code: NORMAL, error: expired }), LIFETIME_MS).unref();
    socket.on('message', (data: Buffer) => this.#receive(data));
    // Protocol errors of the client: the socket closes with the code for it.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      lifetime.cancel();
      for (const stream of this.#streams.values()) {
        stream.waiting.length = 0;
        options.onStreamEnd(stream);
      }
      options.onClose();
    });
  }

  get streams(): Iterable<SessionStream> {
    return this.#streams.values();
  }

  /** Ends the running requests, refuses others, and closes the socket. */
  stop(): void {
    this.#closeWhenIdle({ code: GOING_AWAY, error: new SluiceError('shutting_down') });
  }

  /** Closes the socket without waiting for its requests. */
  revoke(): void {
    const error = new SluiceError('invalid_api_key');
    this.#socket.sendError(error);
    this.#socket.close(POLICY_VIOLATION, error.code);
  }

  #receive(data: Buffer): void {
    let turn: TurnRequest | null = null;
    try {
      turn = readTurnRequest(data);
      this.#enqueue(turn);
    } catch (error) {
      this.#options.reject(toSluiceError(error), turn?.streamId ?? null, data);
    }
  }

  #enqueue(turn: TurnRequest): void {
    if (this.#closing !== null) throw this.#closing.error;
    const name = turn.streamId ?? '';
    const stream = this.#streams.get(name) ?? this.#addStream(name);
    if (stream.waiting.length >= MAX_WAITING) throw tooMany(`${MAX_WAITING} waiting requests of a stream`);
    stream.waiting.push(turn);
    this.#waitingBytes += turn.body.length;
    if (this.#waitingBytes > MAX_BODY_BYTES) this.#socket.setReading(false);
    if (!stream.isRunning) void this.#runAll(stream);
  }

  /** An idle stream gives way to a new one. */
  #addStream(name: string): SessionStream {
    if (this.#streams.size >= MAX_STREAMS) {
      const idle = [...this.#streams].find(([, { isRunning }]) => !isRunning);
      if (idle === undefined) throw tooMany(`${MAX_STREAMS} streams with open requests`);
      const [oldest, ended] = idle;
      this.#streams.delete(oldest);
      this.#options.onStreamEnd(ended);
    }
    const stream: SessionStream = { waiting: [], isRunning: false };
    this.#streams.set(name, stream);
    return stream;
  }

  async #runAll(stream: SessionStream): Promise<void> {
    stream.isRunning = true;
    for (let turn = stream.waiting.shift(); turn !== undefined; turn = stream.waiting.shift()) {
      this.#waitingBytes -= turn.body.length;
      if (this.#waitingBytes <= MAX_BODY_BYTES) this.#socket.setReading(true);
      if (this.#closing === null) await this.#options.run(turn, stream);
      else this.#options.reject(this.#closing.error, turn.streamId, turn.body);
    }
    stream.isRunning = false;
    this.#closeIfIdle();
  }

  #closeWhenIdle(closing: Closing): void {
    this.#closing ??= closing;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#closing === null || [...this.#streams.values()].some(({ isRunning }) => isRunning)) return;
    const { code, error } = this.#closing;
    this.#socket.sendError(error);
    this.#socket.close(code, error.code);
  }
}

function tooMany(limit: string): SluiceError {
  return new SluiceError('websocket_stream_limit_reached', { param: 'stream_id', values: { limit } });
}
