import type { Channel, ChannelHandlers, ChannelName } from './channel-handlers.ts';

/** On the wire between two processes, as JSON: it carries neither bigint nor infinity. */
export interface ChannelMessage {
  readonly channel: ChannelName;
  /** Of a request. */
  readonly id?: number;
  /** Of a response: the id of its request. */
  readonly to?: number;
  readonly body?: unknown;
  /** Of a response: why the request failed. */
  readonly error?: string;
}

/** The process at the other end: a `Worker` of node:cluster, in the supervisor and in the worker itself. */
export interface Peer {
  isConnected(): boolean;
  send(message: ChannelMessage, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** The process at the other end is gone. Whether it has handled the request is unknown. */
export class PeerGoneError extends Error {
  constructor() {
    super('The process at the other end of the channel is gone.');
    this.name = 'PeerGoneError';
  }
}

/** The process at the other end could not handle a request. */
export class PeerRequestError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PeerRequestError';
  }
}

interface Pending {
  resolve(response: unknown): void;
  reject(error: Error): void;
}

/** Messages between the supervisor and one worker, in order in each direction. */
export class PeerChannel implements Channel {
  readonly #peer: Peer;
  readonly #handlers: ChannelHandlers;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #unsent = 0;

  constructor(peer: Peer, handlers: ChannelHandlers) {
    this.#peer = peer;
    this.#handlers = handlers;
    peer.on('message', (message) => {
      if (isChannelMessage(message)) this.#receive(message);
    });
    peer.on('disconnect', () => this.#rejectPending());
  }

  get isConnected(): boolean {
    return this.#peer.isConnected();
  }

  get unsent(): number {
    return this.#unsent;
  }

  post(channel: ChannelName, body: unknown, sent: () => void = ignore): void {
    if (this.isConnected) this.#send({ channel, body }, sent);
    else sent();
  }

  request<Response>(channel: ChannelName, body: unknown): Promise<Response> {
    if (!this.isConnected) return Promise.reject(new PeerGoneError());
    const id = ++this.#lastId;
    return new Promise<Response>((resolve, reject) => {
      const pending: Pick<Pending, 'reject'> & { resolve(response: Response): void } = { resolve, reject };
      this.#pending.set(id, pending);
      this.#send({ channel, id, body }, (error) => {
        if (error !== null) this.#end(id)?.reject(new PeerGoneError());
      });
    });
  }

  #receive(message: ChannelMessage): void {
    const { channel, id, to, body, error } = message;
    if (to !== undefined) {
      const pending = this.#end(to);
      if (error === undefined) pending?.resolve(body);
      else pending?.reject(new PeerRequestError(error));
    } else if (id === undefined) this.#handlers.post(channel, body, this);
    else this.#respond(channel, id, body);
  }

  #respond(channel: ChannelName, id: number, body: unknown): void {
    const failed = (error: unknown): void =>
      this.#send({ channel, to: id, error: error instanceof Error ? error.message : String(error) }, ignore);
    try {
      const response = this.#handlers.request(channel, body, this);
      // Without a turn of the event loop for what is known at once.
      if (!(response instanceof Promise)) return this.#send({ channel, to: id, body: response }, ignore);
      response.then((value: unknown) => this.#send({ channel, to: id, body: value }, ignore)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #send(message: ChannelMessage, sent: (error: Error | null) => void): void {
    this.#unsent++;
    this.#peer.send(message, (error) => {
      this.#unsent--;
      sent(error);
    });
  }

  #end(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #rejectPending(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new PeerGoneError());
  }
}

/** node:cluster sends messages of its own. */
function isChannelMessage(message: unknown): message is ChannelMessage {
  return typeof message === 'object' && message !== null && 'channel' in message && typeof message.channel === 'string';
}

function ignore(): void {
  // The disconnection is handled where it matters.
}
