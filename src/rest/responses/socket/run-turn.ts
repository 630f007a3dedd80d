import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { OpenRequest, Tags } from '../../../gateway/call.ts';
import { newEventIds } from '../../../gateway/event-id.ts';
import type {
  Conversation,
  RememberedResponses,
} from '../../../gateway/capabilities/responses/socket/remembered-responses.ts';
import type { RelayingSocket } from '../../../gateway/capabilities/responses/relay/relayable-request.ts';
import {
  SocketResponse,
  type CompletedResponse,
} from '../../../gateway/capabilities/responses/socket/socket-response.ts';
import type { HeldResponses } from '../../../gateway/capabilities/responses/socket/held-responses.ts';
import {
  postedBody,
  socketMembers,
  withInput,
  withItems,
  type TurnRequest,
} from '../../../gateway/capabilities/responses/socket/turn-request.ts';
import { warmUp } from '../../../gateway/capabilities/responses/socket/warm-up.ts';
import type { ResponseCall } from '../../../gateway/capabilities/responses/open-response.ts';
import type { RequestSpan } from '../../../gateway/telemetry/request-span.ts';
import type { RequestTrace } from '../../../gateway/usage/request-trace.ts';
import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { responseNames } from '../../../services/responses/response-id.ts';
import { MAX_BODY_BYTES } from '../../body/read-body.ts';
import { rejectAtEdge } from '../../http/reject-at-edge.ts';
import { responsesRoute } from '../../paths/rejected-route.ts';
import { respond, type ResponseClient } from '../respond.ts';
import type { ContentLevel } from '../../../gateway/content/content-level.ts';
import type { ResponseRouteDependencies } from '../route-dependencies.ts';
import type { ClientSocket } from './client-socket.ts';
import { incomingTrace } from '../../tracing/traced-requests.ts';
import { requireKnown } from './known-response.ts';
import type { SessionStream } from './response-session.ts';

const RESPONSES_ROUTE = '/v1/responses';

/** What the requests of one socket share. */
export interface SocketContext {
  readonly deps: ResponseRouteDependencies;
  readonly socket: ClientSocket;
  /** The request that opened it. */
  readonly request: IncomingMessage;
  readonly remembered: RememberedResponses;
  readonly held: HeldResponses;
  /** Aborted when the socket closes. */
  readonly closed: AbortSignal;
  /** All streams of the socket. */
  readonly streams: () => Iterable<SessionStream>;
  /** Ended when the client disconnects. */
  readonly open: Set<OpenRequest>;
  readonly cacheMs: number | null;
  readonly contentLevel: ContentLevel | null;
  readonly tags: Tags | null;
  readonly session: string | null;
  readonly trace: RequestTrace | null;
  readonly clock: Clock;
  /** Authenticates each request anew. @throws SluiceError */
  authenticate(): KeyRecord | Promise<KeyRecord>;
}

/** Runs one request of a socket: authenticated, admitted, recorded and priced by itself. Never rejects. */
export function runTurn(context: SocketContext, request: TurnRequest, stream: SessionStream): Promise<void> {
  return new Turn(context, request, stream).run();
}

/** One request of a socket, from its event to the last one of its response. */
class Turn implements ResponseClient {
  readonly #context: SocketContext;
  readonly #request: TurnRequest;
  readonly #stream: SessionStream;
  readonly #response: SocketResponse;
  readonly #ids = newEventIds();
  readonly #ended = Promise.withResolvers<void>();
  #hasEnded = false;
  #key: KeyRecord | null = null;
  /** Absent where telemetry is off. */
  #span: RequestSpan | undefined;
  #running: OpenRequest | null = null;
  /** Which connection's socket the request was sent to. */
  readonly #sent: RelayingSocket['turn'];
  /** The conversation before it, where it continues a response that is remembered. */
  #remembered: Conversation | null = null;

  constructor(context: SocketContext, request: TurnRequest, stream: SessionStream) {
    this.#context = context;
    this.#request = request;
    this.#stream = stream;
    const { streamId, previousId } = request;
    this.#sent = { session: context.closed, streamId, members: socketMembers(request), holder: null };
    this.#response = new SocketResponse(context.socket, {
      streamId,
      previousId,
      onEnd: (completed) => this.#end(completed),
    });
  }

  isGone(): boolean {
    return !this.#context.socket.isOpen;
  }

  run(): Promise<void> {
    this.#start().catch((error: unknown) => this.#fail(toSluiceError(error)));
    return this.#ended.promise;
  }

  /** One that is answered from a cache ends before it is followed. */
  follow(openRequest: OpenRequest): void {
    if (this.#hasEnded) return;
    this.#running = openRequest;
    this.#context.open.add(openRequest);
    this.#response.follow(openRequest);
  }

  startInBackground(): Promise<never> {
    return Promise.reject(new SluiceError('internal_error', { detail: 'a background request of a socket' }));
  }

  async #start(): Promise<void> {
    const { deps, request, remembered, held, streams, cacheMs, contentLevel, tags, session, trace, clock } =
      this.#context;
    const { previousId, isGenerated } = this.#request;
    const startedAt = clock.monotonic();
    this.#span = deps.pipeline.dependencies.telemetry?.startMessage(incomingTrace(request.headers), RESPONSES_ROUTE);
    const key = await this.#context.authenticate();
    this.#key = key;
    const call: ResponseCall = {
      key,
      ...this.#ids,
      startedAt,
      cacheMs,
      contentLevel,
      tags,
      session,
      trace,
      span: this.#span,
      watch: null,
    };
    this.#remembered = previousId === null ? null : remembered.find(streams(), previousId);
    if (!isGenerated) {
      if (previousId !== null && this.#remembered === null) await requireKnown(deps, held.holders, key, previousId);
      const { events, completed } = warmUp(deps.pipeline, responseNames, call, this.#request);
      return this.#response.answer(events, completed);
    }
    const conversation = this.#remembered === null ? null : withInput(this.#request, this.#remembered);
    const body = postedBody(this.#request, conversation, this.#isStored);
    if (body.length > MAX_BODY_BYTES) throw new SluiceError('request_too_large', { values: { limit: MAX_BODY_BYTES } });
    const { headers } = request;
    const socket = { turn: this.#sent, held: held.holders };
    return respond(deps, { call, headers, clientResponse: this.#response, client: this, socket }, body);
  }

  get #isStored(): boolean {
    return this.#request.value.store !== false && this.#key?.zeroRetention !== true;
  }

  #fail(error: SluiceError): void {
    this.#span?.failed(error.code);
    const [key, clientResponse] = [this.#key, this.#response];
    if (key === null) return clientResponse.fail(error);
    const rejected = { key, identity: this.#ids, clientResponse, route: responsesRoute, input: this.#request.body };
    return rejectAtEdge(this.#context.deps.pipeline, rejected, error);
  }

  /**
   * Keeps a response that is neither stored nor held by a provider's socket. After a failure its predecessor is dropped: the
   * client sends its conversation again.
   */
  #end(completed: CompletedResponse | null): void {
    const { open, remembered, held, streams } = this.#context;
    const { previousId, isGenerated } = this.#request;
    this.#hasEnded = true;
    this.#span?.closed(null);
    if (this.#running !== null) open.delete(this.#running);
    if (completed === null) {
      if (previousId !== null) remembered.forget(streams(), previousId);
    } else if (this.#sent.holder !== null) held.add(completed.id, this.#sent.holder);
    else if (!this.isGone() && (!this.#isStored || !isGenerated)) {
      // What is not remembered is stored, or held by a provider: the next turn names it again.
      const before = withInput(this.#request, this.#remembered ?? { previousId, items: '[]' });
      remembered.set(this.#stream, completed.id, { ...before, items: withItems(before.items, completed.output) });
    }
    this.#ended.resolve();
  }
}
