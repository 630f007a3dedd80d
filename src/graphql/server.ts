import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type RequestHandler } from 'express';
import { GraphqlContext, type GraphqlDependencies } from './context.ts';
import { httpCredentials, sessionSetter } from './credentials.ts';
import { formatError } from './format-error.ts';
import { buildGraphqlSchema } from './schema.ts';
import { createSockets } from './sockets.ts';

const MOST_BODY = '1mb';

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
    plugins: [ApolloServerPluginLandingPageDisabled()],
  });
  await apollo.start();
  const sockets = createSockets(schema, deps);
  return {
    handlers: [
      express.json({ limit: MOST_BODY }),
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
