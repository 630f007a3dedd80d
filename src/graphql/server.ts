import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { GraphQLError } from 'graphql';
import { expressMiddleware } from '@as-integrations/express5';
import type { RequestHandler } from 'express';
import { jsonBody } from './json-body.ts';
import { GraphqlContext, type GraphqlDependencies } from './context.ts';
import { httpCredentials, sessionSetter } from './credentials.ts';
import type { ErrorCode } from '../errors/index.ts';
import { formatError } from './format-error.ts';
import { buildGraphqlSchema } from './schema.ts';
import { createSockets } from './sockets.ts';

const MOST_BODY = 1024 * 1024;

const noSubscriptionsOverHttp: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation }) => {
      if (operation?.operation !== 'subscription') return;
      throw new GraphQLError('Subscriptions go over WebSocket (graphql-transport-ws), on the same path.', {
        extensions: { code: 'graphql_invalid' satisfies ErrorCode, http: { status: 400 } },
      });
    },
  }),
};

/** GraphQL, apart from where it is mounted. */
export interface GraphqlServer {
  readonly handlers: readonly RequestHandler[];
  /** Takes a WebSocket from the host. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispose(): Promise<void>;
}

export async function createGraphqlServer(deps: GraphqlDependencies): Promise<GraphqlServer> {
  const schema = await buildGraphqlSchema();
  const apollo = new ApolloServer<GraphqlContext>({
    schema,
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: (formatted, error) => formatError(formatted, error, deps.log),
    plugins: [ApolloServerPluginLandingPageDisabled(), noSubscriptionsOverHttp],
  });
  await apollo.start();
  const sockets = createSockets(schema, deps);
  return {
    handlers: [
      jsonBody(MOST_BODY),
      expressMiddleware(apollo, {
        context: async ({ req, res }) => new GraphqlContext(deps, httpCredentials(req), sessionSetter(req, res)),
      }),
    ],
    upgrade: sockets.upgrade,
    dispose: async () => {
      await sockets.dispose();
      await apollo.stop();
    },
  };
}
