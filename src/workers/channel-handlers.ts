/** What the supervisor and its workers exchange messages about. Each has one owner in a process. */
export type ChannelName =
  | 'lifecycle'
  | 'port'
  | 'limits'
  | 'idempotency'
  | 'shared'
  | 'metrics'
  | 'live'
  | 'feeds'
  | 'polls'
  | 'keys';

/** Messages to one process, in order. */
export interface Channel {
  readonly isConnected: boolean;
  /** Messages that the system has not accepted yet: the other process reads too slowly. */
  readonly unsent: number;
  /**
   * Sends without a response. A message to a process that is gone is dropped.
   * @param sent called when the system has accepted the message, or it is dropped
   */
  post(channel: ChannelName, body: unknown, sent?: () => void): void;
  /**
   * @throws PeerGoneError where the other process ends before it responds
   * @throws PeerRequestError where it could not handle the request
   */
  request<Response>(channel: ChannelName, body: unknown): Promise<Response>;
}

/** Messages come from a process of the same release and are not validated. */
interface Handler<Body> {
  handle(body: Body, from: Channel): unknown;
}

/** What a process does with messages, whichever peer they are from. */
export class ChannelHandlers {
  readonly #requests = new Map<ChannelName, Handler<unknown>>();
  readonly #posts = new Map<ChannelName, Handler<unknown>>();

  /** @param handle its result, or that of its promise, is the response; what it throws rejects the request */
  onRequest<Body>(channel: ChannelName, handle: (body: Body, from: Channel) => unknown): void {
    const handler: Handler<Body> = { handle };
    this.#requests.set(channel, handler);
  }

  onPost<Body>(channel: ChannelName, handle: (body: Body, from: Channel) => void): void {
    const handler: Handler<Body> = { handle };
    this.#posts.set(channel, handler);
  }

  /** @throws what the handler throws, and Error where there is none */
  request(channel: ChannelName, body: unknown, from: Channel): unknown {
    const handler = this.#requests.get(channel);
    if (handler === undefined) throw new Error(`this process handles no requests of channel ${channel}`);
    return handler.handle(body, from);
  }

  post(channel: ChannelName, body: unknown, from: Channel): void {
    this.#posts.get(channel)?.handle(body, from);
  }
}
