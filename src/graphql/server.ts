import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { GraphQLError } from 'graphql';
import { expressMiddleware } from '@as-integrations/express5';
import type { RequestHandler } from 'express';
import { jsonBody } from './http/json-body.ts';
import { GraphqlContext } from './operation/context.ts';
import type { GraphqlDependencies } from './dependencies.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { httpCredentials, sessionSetter, signUpCookieSetter } from './http/credentials.ts';
import { requireSingleApiKey } from './http/single-api-key.ts';
import { requireKnownHost } from './http/known-host.ts';
import { newEventIds } from '../gateway/event-id.ts';
import { withAuditContext } from '../services/audit/audit-context.ts';
import type { ErrorCode } from '../errors/index.ts';
import { explorerPage } from './explorer/explorer-page.ts';
import { formatError } from './format-error.ts';
import { Admission } from './limits/admission.ts';
import { chargeOperations } from './limits/charge-plugin.ts';
import { requestIds } from './http/request-ids.ts';
import { buildGraphqlSchema, requireAllResolvers } from './schema.ts';
import { createSockets } from './sockets/sockets.ts';
import { resolveDocument } from './trusted/resolve-document.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const noSubscriptionsOverHttp: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation }) => {
      if (operation?.operation !== 'subscription') return;
      throw new GraphQLError('Subscriptions require WebSocket (`graphql-transport-ws`) on the same path.', {
        extensions: { code: 'graphql_invalid' satisfies ErrorCode, http: { status: 400 } },
      });
    },
  }),
};

/** Records the request's origin in the audit log. Runs after the body parser, whose events lose the async context. */
const withRequestAuditContext: RequestHandler = (request, response, next) => {
  const { requestId } = newEventIds();
  response.setHeader('x-request-id', requestId);
  const userAgent = request.headers['user-agent'] ?? null;
  withAuditContext({ address: request.ip ?? null, userAgent, requestId }, next);
};

/** The GraphQL server, independent of its mount path. */
export interface GraphqlServer {
  readonly handlers: readonly RequestHandler[];
  /** Accepts a WebSocket upgrade from the host. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispose(): Promise<void>;
}

export async function createGraphqlServer(deps: GraphqlDependencies): Promise<GraphqlServer> {
  const schema = await buildGraphqlSchema(requireAllResolvers(await deps.resolvers()));
  const { limits, introspection, explorer, trustedDocuments, allowedOrigins, isKnownHost, cookies } = deps.settings;
  const admission = new Admission(schema, limits, introspection, deps.sharedPoints);
  const apollo = new ApolloServer<GraphqlContext>({
    schema,
    // The rules of `Admission` decide, for WebSocket too.
    introspection: true,
    parseOptions: admission.parseOptions,
    validationRules: [...admission.rules],
    // By default any client could store documents under a hash of its choice.
    persistedQueries: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: (formatted, error) => formatError(formatted, error, deps),
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      noSubscriptionsOverHttp,
      requestIds,
      chargeOperations(admission),
    ],
  });
  await apollo.start();
  const sockets = createSockets(schema, admission, deps);
  return {
    handlers: [
      crossOrigin(allowedOrigins),
      requireKnownHost(isKnownHost),
      ...(explorer ? [explorerPage()] : []),
      requireSingleApiKey,
      jsonBody(MAX_BODY_BYTES, deps.discardBody),
      resolveDocument(trustedDocuments),
      withRequestAuditContext,
      expressMiddleware(apollo, {
        context: async ({ req, res }) =>
          new GraphqlContext(
            deps.context,
            httpCredentials(req, deps.settings),
            isKnownHost(req.host) ? sessionSetter(req, res, cookies) : null,
            isKnownHost(req.host) ? signUpCookieSetter(req, res, cookies) : null,
          ),
      }),
    ],
    upgrade: sockets.upgrade,
    dispose: async () => {
      await sockets.dispose();
      await apollo.stop();
    },
  };
}
