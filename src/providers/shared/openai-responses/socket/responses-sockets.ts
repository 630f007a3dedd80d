import type { WebSocket } from 'ws';
import type { Clock } from '../../../../calendar/clock.ts';
import { errorOf } from '../../../../protocols/responses/response-parts.ts';
import type { SluiceError } from '../../../../errors/index.ts';
import type { SocketTurn, UpstreamReceiver } from '../../../contract.ts';
import type { HttpUpstream } from '../../http/http-upstream.ts';
import { withMembers } from '../../http/request-body.ts';
import { reportedWithin } from '../../http/upstream-error.ts';
import { ResponsesSocket } from './responses-socket.ts';
import type { SocketError } from './socket-events.ts';

export interface ResponsesSocketsOptions {
  /** The connection's. */
  readonly id: string;
  readonly provider: string;
  readonly upstream: Pick<HttpUpstream, 'openSocket' | 'refused'>;
  readonly path: string;
  readonly clock?: Clock;
}

/** A request of a client's socket, for a provider. */
export interface SocketRequest {
  readonly turn: SocketTurn;
  /** As it would be posted. */
  readonly body: Buffer;
  /** Of the client, forwarded when a socket is opened: names and values in turn. */
  readonly headers: readonly string[];
  /** Posts it instead. */
  post(): void;
}

/** A connection's WebSockets to its provider: one for each socket of a client that uses it. */
export class ResponsesSockets {
  readonly #options: ResponsesSocketsOptions;
  /** Null where the provider refused to upgrade: the session's requests are posted. */
  readonly #bySession = new WeakMap<AbortSignal, ResponsesSocket | null>();
  readonly #open = new Set<ResponsesSocket>();

  constructor(options: ResponsesSocketsOptions) {
    this.#options = options;
  }

  send(request: SocketRequest, receiver: UpstreamReceiver, isAgain = false): void {
    const { turn, body, headers, post } = request;
    const { session, streamId, members } = turn;
    const known = this.#bySession.get(session);
    if (known === null || session.aborted) return post();
    const { id, provider } = this.#options;
    const socket = known?.isUsable === true ? known : this.#opened(session, headers);
    turn.holder = id;
    socket.send(withMembers(body, { ...members, type: '"response.create"' }), {
      provider,
      stream: streamId ?? '',
      receiver,
      onUnserved: (place) => {
        if (place === 'new socket' && !isAgain) return this.send(request, receiver, true);
        this.#bySession.set(session, null);
        turn.holder = null;
        post();
      },
    });
  }

  /** Closes idle sockets; others once their requests have ended. */
  retire(): void {
    for (const socket of this.#open) socket.retire();
  }

  #opened(session: AbortSignal, headers: readonly string[]): ResponsesSocket {
    const { upstream, path, clock } = this.#options;
    const opened: WebSocket = upstream.openSocket(path, headers);
    const socket: ResponsesSocket = new ResponsesSocket(opened, {
      refused: (status, answered, body) => upstream.refused(status, answered, body),
      failed: (error) => this.#failed(error),
      onClose: () => {
        session.removeEventListener('abort', close);
        this.#open.delete(socket);
      },
      ...(clock && { clock }),
    });
    const close = (): void => socket.close();
    session.addEventListener('abort', close, { once: true });
    this.#bySession.set(session, socket);
    this.#open.add(socket);
    return socket;
  }

  #failed({ error, status, headers }: SocketError): SluiceError {
    const { provider, upstream } = this.#options;
    if (status === null) return reportedWithin(provider, errorOf(error));
    return upstream.refused(status, headers, JSON.stringify({ error }));
  }
}
