import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, type Context } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { SluiceError } from '../errors/index.ts';
import { GraphqlContext, type GraphqlDependencies } from './context.ts';
import { socketCredentials } from './credentials.ts';
import { formatError } from './format-error.ts';

const MOST_FRAME_BYTES = 1024 * 1024;
const MOST_SUBSCRIPTIONS = 100;
const INIT_WITHIN_MS = 5_000;
const PING_EVERY_MS = 15_000;
/** What a browser is told when the session or key that it came with has ended. */
const ENDED = { code: 4403, reason: 'the session or key has ended' };

/** Kept with each socket. */
type SocketState = { stopFollowing: () => void };
type Connection = Context<Record<string, unknown>, Extra & Partial<SocketState>>;

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispose(): Promise<void>;
}

/** Speaks `graphql-transport-ws` on the sockets that the host hands over. */
export function createSockets(schema: GraphQLSchema, deps: GraphqlDependencies): Sockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_FRAME_BYTES,
    handleProtocols: (offered) => (offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false),
  });
  const cleanup = useServer<Record<string, unknown>, SocketState>(
    {
      schema,
      connectionInitWaitTimeout: INIT_WITHIN_MS,
      onConnect: (context) => connect(context, deps),
      onClose: (context) => context.extra.stopFollowing?.(),
      // A fresh context each: the caller is looked up again, so that what ended meanwhile is noticed.
      context: (context) => contextOf(context, deps),
      onSubscribe: (context) => {
        if (Object.keys(context.subscriptions).length > MOST_SUBSCRIPTIONS)
          return [
            new GraphQLError(`A socket carries at most ${MOST_SUBSCRIPTIONS} operations.`, {
              extensions: { code: 'graphql_invalid' },
            }),
          ];
        return undefined;
      },
      onError: (_context, _id, _payload, errors) => errors.map((error) => masked(error, deps)),
      onNext: (_context, _id, _payload, _args, result) =>
        result.errors ? { ...result, errors: result.errors.map((error) => masked(error, deps)) } : undefined,
    },
    sockets,
    PING_EVERY_MS,
  );
  return {
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request)),
    dispose: async () => cleanup.dispose(),
  };
}

function contextOf({ extra, connectionParams }: Connection, deps: GraphqlDependencies): GraphqlContext {
  return new GraphqlContext(deps, socketCredentials(extra.request, connectionParams), null);
}

/** Lets only known callers in, and closes their socket when what they came with ends. */
async function connect(connection: Connection, deps: GraphqlDependencies): Promise<boolean> {
  const context = contextOf(connection, deps);
  try {
    const caller = await context.caller();
    const close = (): void => connection.extra.socket.close(ENDED.code, ENDED.reason);
    connection.extra.stopFollowing =
      caller.kind === 'key'
        ? deps.directory.onRevoked((keyId) => (keyId === caller.key.id ? close() : undefined))
        : deps.sessions.onEnded((sessionId) => (sessionId === caller.identity.sessionId ? close() : undefined));
    return true;
  } catch (error) {
    if (!(error instanceof SluiceError) || error.status >= 500) throw error;
    // Not 4403, after which clients come again and again.
    connection.extra.socket.close(CloseCode.Unauthorized, error.code);
    return false;
  }
}

function masked(error: GraphQLError, deps: GraphqlDependencies): GraphQLError {
  const { message, extensions } = formatError(error.toJSON(), error, deps.log);
  return new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: extensions ?? {},
  });
}
