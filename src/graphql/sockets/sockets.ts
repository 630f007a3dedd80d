import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { execute, GraphQLError, type ExecutionArgs, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, type Context } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { SluiceError } from '../../errors/index.ts';
import { newEventIds } from '../../gateway/event-id.ts';
import { withAuditContext, type Origin } from '../../services/audit/audit-context.ts';
import { watchSession } from '../../services/sessions/watch-session.ts';
import { watchSecret } from '../../services/keys/watch-secret.ts';
import { GraphqlContext, type Caller } from '../operation/context.ts';
import { socketCredentials } from '../http/credentials.ts';
import type { GraphqlDependencies } from '../dependencies.ts';
import { formatError } from '../format-error.ts';
import type { Admission } from '../limits/admission.ts';
import { ConcurrencyLimiter } from '../limits/concurrency-limiter.ts';
import { tooLarge } from '../limits/too-large.ts';
import { toOperation } from './socket-operations.ts';
import { SharedSubscriptions } from './shared-subscriptions.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
/** Per socket. */
const MAX_SUBSCRIPTIONS = 100;
/** Per caller, over all of their sockets. */
const MAX_PER_CALLER = 5_000;
/** Per caller. */
const MAX_SOCKETS = 2_000;
const INIT_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 15_000;
/** Close code and reason when the session, key or token of the socket becomes invalid. */
const REVOKED = { code: 4403, reason: 'the session, key or token has ended' };

/** State of a socket. */
type SocketState = { leave: () => void };
type Connection = Context<Record<string, unknown>, Extra & Partial<SocketState>>;

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispose(): Promise<void>;
}

/** Serves `graphql-transport-ws` on sockets that the host upgrades. */
export function createSockets(schema: GraphQLSchema, admission: Admission, deps: GraphqlDependencies): Sockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  const { trustedDocuments } = deps.settings;
  const finish = (result: ExecutionResult): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map((error) => masked(error, deps)) } : result;
  const shared = new SharedSubscriptions(finish);
  const subscriptions = new ConcurrencyLimiter('subscriptions', MAX_PER_CALLER);
  const socketLimiter = new ConcurrencyLimiter('sockets', MAX_SOCKETS);
  const cleanup = useServer<Record<string, unknown>, SocketState>(
    {
      schema,
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: (context) => connect(context, socketLimiter, deps),
      onClose: (context) => context.extra.leave?.(),
      execute: (args: ExecutionArgs) => withAuditContext(originOf(args), () => execute(args)),
      subscribe: (args: ExecutionArgs) => withAuditContext(originOf(args), () => shared.subscribe(args)),
      onSubscribe: (context, id, payload) => {
        if (Object.keys(context.subscriptions).length > MAX_SUBSCRIPTIONS)
          return [tooLarge('more concurrent operations on one socket', MAX_SUBSCRIPTIONS)];
        // A new context per operation: the caller is looked up again, to detect revoked credentials.
        const own = shared.register(contextOf(context, deps), { socket: context.extra.socket, id });
        own.subscriptions = subscriptions;
        return toOperation(payload, { schema, admission, trustedDocuments }, own);
      },
      onError: (_context, _id, _payload, errors) => errors.map((error) => masked(error, deps)),
      onNext: (_context, _id, _payload, { contextValue }, result) => {
        const extensions = costExtension(contextValue);
        return { ...finish(result), ...(extensions && { extensions: { ...result.extensions, ...extensions } }) };
      },
    },
    sockets,
    PING_INTERVAL_MS,
  );
  // Accepts any subprotocol: only then can the client read the close code 4406.
  sockets.options.handleProtocols = (offered) =>
    offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : ([...offered][0] ?? false);
  return {
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request)),
    dispose: async () => cleanup.dispose(),
  };
}

/** Where an operation came from, for the audit log. */
function originOf({ contextValue }: ExecutionArgs): Partial<Origin> {
  const { requestId } = newEventIds();
  if (!(contextValue instanceof GraphqlContext)) return { requestId };
  const { address, userAgent } = contextValue.credentials;
  return { address, userAgent, requestId };
}

function contextOf({ extra, connectionParams }: Connection, deps: GraphqlDependencies): GraphqlContext {
  return new GraphqlContext(
    deps.context,
    socketCredentials(extra.request, connectionParams, deps.settings.cookies),
    null,
  );
}

/** The cost report, once: with the first result. */
function costExtension(context: unknown): ExecutionResult['extensions'] {
  if (!(context instanceof GraphqlContext) || context.costReport === null) return undefined;
  const cost = context.costReport;
  context.costReport = null;
  return { cost };
}

/** Accepts authenticated callers only, and closes the socket when their credentials become invalid. */
async function connect(
  connection: Connection,
  places: ConcurrencyLimiter,
  deps: GraphqlDependencies,
): Promise<boolean> {
  const { extra } = connection;
  try {
    const context = contextOf(connection, deps);
    const caller = await context.caller();
    // The client disconnected in the meantime.
    if (extra.socket.readyState !== extra.socket.OPEN) return false;
    const releaseSlot = places.acquire(caller);
    const stopWatching = watchCredentials(caller, context, deps, () =>
      extra.socket.close(REVOKED.code, REVOKED.reason),
    );
    extra.leave = () => [releaseSlot, stopWatching].forEach((release) => release());
    return true;
  } catch (thrown) {
    const error = thrown instanceof GraphQLError ? thrown.originalError : thrown;
    if (!(error instanceof SluiceError) || error.status >= 500) throw thrown;
    // Not 4403: clients would reconnect in a loop.
    const code =
      error.code === 'operation_too_large' ? CloseCode.TooManyInitialisationRequests : CloseCode.Unauthorized;
    extra.socket.close(code, error.code);
    return false;
  }
}

/** Calls `revoked` when the caller's credentials or membership change. @returns stops watching */
function watchCredentials(
  caller: Caller,
  { credentials }: GraphqlContext,
  { directory, sessions }: GraphqlDependencies,
  revoked: () => void,
): () => void {
  const { accountId } = caller;
  const users = caller.kind === 'key' ? [caller.key.memberId, caller.key.keyMemberId] : [caller.identity.userId];
  const stops = [
    caller.kind === 'key'
      ? watchSecret(directory, credentials.apiKey ?? '', caller.key, revoked)
      : watchSession(sessions, caller.identity, revoked),
    // Permissions have changed: a reconnecting client is authorized again.
    sessions.onMembershipChanged((user, account) =>
      users.includes(user) && account === accountId ? revoked() : undefined,
    ),
  ];
  return () => stops.forEach((stop) => stop());
}

function masked(error: GraphQLError, deps: GraphqlDependencies): GraphQLError {
  const { message, extensions } = formatError(error.toJSON(), error, deps);
  return new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: extensions ?? {},
  });
}
