import type { Server } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Express } from 'express';
import { GraphqlContext, type GraphqlServices } from './context.ts';
import { httpCredentials, sessionSetter } from './credentials.ts';
import { formatError, type GraphqlLog } from './format-error.ts';
import { buildGraphqlSchema } from './schema.ts';
import { serveSockets } from './sockets.ts';

export const graphqlPath = '/graphql';
const MOST_BODY = '1mb';

export interface GraphqlDependencies extends GraphqlServices {
  readonly log: GraphqlLog;
}

/** GraphQL over HTTP and over WebSocket, on one path. */
export async function mountGraphql(
  app: Express,
  server: Server,
  deps: GraphqlDependencies,
): Promise<{ dispose(): Promise<void> }> {
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
  const sockets = serveSockets(server, schema, deps);
  app.use(
    graphqlPath,
    express.json({ limit: MOST_BODY }),
    expressMiddleware(apollo, {
      context: async ({ req, res }) => new GraphqlContext(deps, httpCredentials(req), sessionSetter(req, res)),
    }),
  );
  return {
    dispose: async () => {
      await sockets.dispose();
      await apollo.stop();
    },
  };
}
