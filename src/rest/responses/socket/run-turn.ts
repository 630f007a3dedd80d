import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { OpenRequest, Tags } from '../../../gateway/call.ts';
import { newEventIds } from '../../../gateway/event-id.ts';
import type {
  RememberedItems,
  RememberedResponses,
} from '../../../gateway/capabilities/responses/socket/remembered-responses.ts';
import {
  SocketResponse,
  type CompletedResponse,
} from '../../../gateway/capabilities/responses/socket/socket-response.ts';
import {
  itemsOf,
  postedBody,
  withItems,
  type TurnRequest,
} from '../../../gateway/capabilities/responses/socket/turn-request.ts';
import { warmUp } from '../../../gateway/capabilities/responses/socket/warm-up.ts';
import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { responseNames } from '../../../services/responses/response-id.ts';
import { MAX_BODY_BYTES } from '../../body/read-body.ts';
import { rejectAtEdge } from '../../http/reject-at-edge.ts';
import { respond, type ResponseClient } from '../respond.ts';
import type { ResponseRouteDependencies } from '../route-dependencies.ts';
import type { ClientSocket } from './client-socket.ts';
import type { SessionStream } from './response-session.ts';

/** What the requests of one socket share. */
export interface SocketContext {
  readonly deps: ResponseRouteDependencies;
  readonly socket: ClientSocket;
  /** The request that opened it. */
  readonly request: IncomingMessage;
  readonly remembered: RememberedResponses;
  /** All streams of the socket. */
  readonly streams: () => Iterable<SessionStream>;
  /** Ended when the client disconnects. */
  readonly open: Set<OpenRequest>;
  readonly cacheMs: number | null;
  readonly tags: Tags | null;
  readonly session: string | null;
  readonly clock: Clock;
  /** Authenticates each request anew. @throws SluiceError */
  authenticate(): KeyRecord | Promise<KeyRecord>;
}

/** Runs one request of a socket: authenticated, admitted, recorded and priced by itself. */
export function runTurn(context: SocketContext, turn: TurnRequest, stream: SessionStream): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = context;
    const ids = { ...newEventIds(), clock: context.clock, startedAt: context.clock.monotonic() };
    let key: KeyRecord | null = null;
    let onEnd: (completed: CompletedResponse | null) => void = () => undefined;
    const response = new SocketResponse(socket, {
      streamId: turn.streamId,
      previousId: turn.previousId,
      onEnd(completed) {
        onEnd(completed);
        resolve();
      },
    });
    const start = async (): Promise<void> => {
      key = await context.authenticate();
      const { eventId, requestId, startedAt } = ids;
      const { cacheMs, tags, session } = context;
      const call = { key, eventId, requestId, startedAt, cacheMs, tags, session, watch: null };
      const before = earlierItems(context, turn);
      const isStored = turn.value.store !== false && key.zeroRetention !== true;
      onEnd = (completed) => remember(context, { turn, stream, before, isStored }, completed);
      if (!turn.isGenerated) {
        const { events, completed } = warmUp(responseNames, call, turn);
        return response.answer(events, completed);
      }
      const body = postedBody(turn, before === null ? null : itemsOf(turn, before), isStored);
      if (body.length > MAX_BODY_BYTES)
        throw new SluiceError('request_too_large', { values: { limit: MAX_BODY_BYTES } });
      const { headers } = context.request;
      return respond(
        context.deps,
        { call, headers, clientResponse: response, client: clientOf(context, response) },
        body,
      );
    };
    start().catch((thrown: unknown) => {
      const error = toSluiceError(thrown);
      if (key === null) response.fail(error);
      else
        rejectAtEdge(
          context.deps.pipeline,
          { key, identity: ids, clientResponse: response, capability: 'chat' },
          error,
        );
    });
  });
}

/** A response that is not stored is continued from memory, and so is a warm-up. */
function earlierItems({ remembered, streams }: SocketContext, { previousId }: TurnRequest): RememberedItems | null {
  return previousId === null ? null : remembered.find(streams(), previousId);
}

interface EndedTurn {
  readonly turn: TurnRequest;
  readonly stream: SessionStream;
  readonly before: RememberedItems | null;
  readonly isStored: boolean;
}

/** Keeps a response that is not stored. After a failure its predecessor is dropped: the client sends its conversation again. */
function remember(
  { remembered, streams }: SocketContext,
  { turn, stream, before, isStored }: EndedTurn,
  completed: CompletedResponse | null,
): void {
  if (completed !== null && (!isStored || !turn.isGenerated))
    remembered.set(stream, completed.id, withItems(itemsOf(turn, before), completed.output));
  else if (completed === null && turn.previousId !== null) remembered.forget(streams(), turn.previousId);
}

function clientOf({ socket, open }: SocketContext, response: SocketResponse): ResponseClient {
  return {
    get isGone() {
      return !socket.isOpen;
    },
    follow(openRequest) {
      open.add(openRequest);
      response.onDrained(() => openRequest.onClientDrained());
      response.onEnded(() => open.delete(openRequest));
    },
    startInBackground: () => Promise.reject(new SluiceError('internal_error', { detail: 'a background turn' })),
  };
}
