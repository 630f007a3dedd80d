import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { WebSocketServer, type WebSocket } from 'ws';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { OpenRequest } from '../../../gateway/call.ts';
import { newEventIds } from '../../../gateway/event-id.ts';
import { HeldResponses } from '../../../gateway/capabilities/responses/socket/held-responses.ts';
import { RememberedResponses } from '../../../gateway/capabilities/responses/socket/remembered-responses.ts';
import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { apiKeyIn } from '../../../services/client-request/request-credentials.ts';
import type { MemoryKeyDirectory } from '../../../services/keys/key-directory.ts';
import { watchSecret } from '../../../services/keys/watch-secret.ts';
import { authenticate, type KeyAuthentication } from '../../authentication/authenticate.ts';
import { MAX_BODY_BYTES } from '../../body/read-body.ts';
import { readCacheHeader, readLogHeader, readSessionHeader, readTagsHeader } from '../../headers/request-headers.ts';
import { readTraceHeaders } from '../../headers/trace-headers.ts';
import { originOf, publicOriginOf } from '../../http/request-origin.ts';
import { endWithError } from '../../http/socket-error.ts';
import { rejectAtEdge } from '../../http/reject-at-edge.ts';
import { responsesRoute } from '../../paths/rejected-route.ts';
import type { ResponseRouteDependencies } from '../route-dependencies.ts';
import { ClientSocket } from './client-socket.ts';
import { ResponseSession } from './response-session.ts';
import { runTurn, type SocketContext } from './run-turn.ts';

/** Of one key. */
const MAX_SOCKETS = 1_000;

export interface ResponseSocketDependencies extends Omit<ResponseRouteDependencies, 'keys'> {
  readonly keys: Pick<MemoryKeyDirectory, 'find' | 'onRevoked' | 'onChanged'>;
  /** Finds keys with all that their requests need. */
  readonly authentication: Pick<KeyAuthentication, 'keys'>;
  /** Whether a page of a browser may open a socket. Other clients send no origin. */
  isKnownOrigin(request: IncomingMessage): boolean;
  readonly clock?: Clock;
}

/** `GET /responses` as a WebSocket. Source: developers.openai.com/api/docs/guides/websocket-mode. */
export class ResponseSockets {
  readonly #deps: ResponseSocketDependencies;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES, perMessageDeflate: false });
  readonly #remembered = new RememberedResponses();
  readonly #sessions = new Set<ResponseSession>();
  readonly #countOf = new Map<string, number>();
  #isStopping = false;

  constructor(deps: ResponseSocketDependencies) {
    this.#deps = deps;
  }

  /** @param fault of the URL, for a client with a valid key */
  upgrade(request: Request, socket: Duplex, head: Buffer, fault: SluiceError | null): void {
    this.#admit(request, fault).then(
      ({ key, secret, context }) => {
        // The client disconnected in the meantime.
        if (socket.destroyed) return;
        this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened, { key, secret, context }));
      },
      (error: unknown) => this.#refuse(request, socket, toSluiceError(error)),
    );
  }

  /** Closes idle sockets; others once their running requests have ended. */
  stop(): void {
    this.#isStopping = true;
    for (const session of this.#sessions) session.stop();
  }

  /** Closes all sockets. */
  dispose(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  /** @throws SluiceError of authentication | origin_not_allowed | invalid_value | too_many_sockets | shutting_down */
  async #admit(request: Request, fault: SluiceError | null): Promise<Admitted> {
    const { isKnownOrigin } = this.#deps;
    // Without sessions: a page of a browser sends their cookie, whichever site it is of.
    const authentication = { keys: this.#deps.authentication.keys };
    if (this.#isStopping) throw new SluiceError('shutting_down');
    if (!isKnownOrigin(request)) throw new SluiceError('origin_not_allowed');
    const key = await authenticate(request, authentication);
    if (fault !== null) throw fault;
    const session = readSessionHeader(request);
    if ((this.#countOf.get(key.id) ?? 0) >= MAX_SOCKETS)
      throw new SluiceError('too_many_sockets', { values: { limit: MAX_SOCKETS } });
    return {
      key,
      secret: apiKeyIn(request.headers) ?? '',
      context: {
        request,
        cacheMs: readCacheHeader(request),
        contentLevel: readLogHeader(request),
        tags: readTagsHeader(request),
        session,
        trace: readTraceHeaders(request, session),
        authenticate: () => authenticate(request, authentication),
      },
    };
  }

  /** It is counted like every other refused request, and recorded where its key is known. */
  #refuse(request: Request, socket: Duplex, error: SluiceError): void {
    const { metrics, rejections } = this.#deps.pipeline.dependencies;
    metrics.errorAnswered(error.code);
    const { eventId } = newEventIds();
    const key = error.refusedKey;
    if (key)
      rejections.record({
        eventId,
        key,
        ...responsesRoute,
        requestedModel: null,
        target: null,
        error,
      });
    endWithError(socket, error, publicOriginOf(request));
  }

  #open(opened: WebSocket, { key, secret, context }: Admitted): void {
    const { clock = systemClock, keys, pipeline } = this.#deps;
    const socket = new ClientSocket(opened, originOf(context.request), clock);
    const open = new Set<OpenRequest>();
    const closed = new AbortController();
    const shared: SocketContext = {
      ...context,
      deps: this.#deps,
      socket,
      remembered: this.#remembered,
      held: new HeldResponses(),
      closed: closed.signal,
      streams: () => session.streams,
      open,
      clock,
    };
    const session: ResponseSession = new ResponseSession(socket, opened, {
      clock,
      run: (turn, stream) => runTurn(shared, turn, stream),
      reject: (error, streamId, input) => {
        const clientResponse = { fail: (refusal: SluiceError): void => socket.sendError(refusal, streamId) };
        const rejected = { key, identity: newEventIds(), clientResponse, route: responsesRoute, input };
        rejectAtEdge(pipeline, rejected, error);
      },
      onStreamEnd: (stream) => this.#remembered.delete(stream),
      onClose: () => {
        stopWatching();
        this.#sessions.delete(session);
        this.#count(key, -1);
        for (const request of open) request.onClientDisconnect();
        closed.abort();
      },
    });
    const stopWatching = watchSecret(
      keys,
      secret,
      key,
      () => {
        for (const request of open) request.onClientDisconnect();
        session.revoke();
      },
      clock,
    );
    this.#sessions.add(session);
    this.#count(key, 1);
    if (this.#isStopping) session.stop();
  }

  #count({ id }: KeyRecord, change: 1 | -1): void {
    const count = (this.#countOf.get(id) ?? 0) + change;
    if (count === 0) this.#countOf.delete(id);
    else this.#countOf.set(id, count);
  }
}

interface Admitted {
  readonly key: KeyRecord;
  readonly secret: string;
  readonly context: Pick<SocketContext, 'cacheMs' | 'contentLevel' | 'tags' | 'session' | 'trace' | 'authenticate'> & {
    readonly request: Request;
  };
}
