import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Router, type Express } from 'express';
import { isKnownOrigin } from './http/credentials.ts';
import type { GraphqlDependencies } from './dependencies.ts';
import type { GraphqlServer } from './server.ts';

const graphqlPath = '/graphql';

/**
 * GraphQL over HTTP and WebSocket on one path. Loaded on the first request: it accounts for a seventh of the memory of an idle
 * gateway and of its start-up time.
 * @param upgradeElsewhere handles WebSocket upgrades at other paths
 */
export function mountGraphql(
  app: Express,
  server: Server,
  deps: GraphqlDependencies,
  upgradeElsewhere: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): { dispose(): Promise<void> } {
  let loading: Promise<Loaded> | null = null;
  const load = (): Promise<Loaded> => {
    loading ??= start(deps).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  app.all(graphqlPath, async (request, response, next) => (await load()).router(request, response, next));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has detached the socket: an unhandled error would end the process.
    socket.on('error', () => undefined);
    // Another listener refused it.
    if (socket.writableEnded) return;
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== graphqlPath) upgradeElsewhere(request, socket, head);
    else if (!isKnownOrigin(request, deps.settings)) refuse(socket, '403 Forbidden');
    else
      load().then(
        ({ graphql }) => graphql.upgrade(request, socket, head),
        (err: unknown) => {
          deps.log.error({ err }, 'GraphQL failed to start');
          refuse(socket, '500 Internal Server Error');
        },
      );
  });
  return {
    dispose: async () => {
      if (loading) await (await loading).graphql.dispose();
    },
  };
}

interface Loaded {
  readonly graphql: GraphqlServer;
  readonly router: Router;
}

async function start(deps: GraphqlDependencies): Promise<Loaded> {
  const { createGraphqlServer } = await import('./server.ts');
  const graphql = await createGraphqlServer(deps);
  return { graphql, router: Router().use(...graphql.handlers) };
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
