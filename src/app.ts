import express from 'express';
import type { Server } from 'node:http';
import {
  closeAfterResponses,
  closeIdleConnections,
  createExpressServer,
  type First,
} from './rest/http/express-server.ts';
import { HttpRoutes } from './rest/tracing/http-route.ts';
import { withTracing } from './rest/tracing/traced-requests.ts';
import { buildOpenApiDocument } from './rest/openapi/document.ts';
import { exchangeSession } from './rest/authentication/exchange-session.ts';
import { ConnectionLimit, connectionGauge } from './rest/connections/connection-limit.ts';
import { requireKnownHost, type IsKnownHost } from './rest/http/known-host.ts';
import { PUBLIC_URL_SETTING } from './rest/http/request-origin.ts';
import { renderErrors, unknownUrl, type EdgeLog } from './rest/http/errors.ts';
import { requireWellFormedPath } from './rest/http/well-formed-path.ts';
import { hotRoutes } from './rest/hot-routes.ts';
import { buildRestRouter, type RestDependencies } from './rest/router.ts';
import { withTransportSecurity } from './rest/http/transport-security.ts';
import { buildDashboard } from './rest/dashboard/dashboard-router.ts';
import { mountGraphql } from './graphql/mount-graphql.ts';
import { ResponseSockets, type ResponseSocketDependencies } from './rest/responses/socket/response-sockets.ts';
import { upgradeResponses } from './rest/responses/socket/upgrade-responses.ts';
import { logExhausted } from './gateway/request/log-exhausted.ts';
import { descriptors } from './descriptors/descriptors.ts';
import type { Telemetry } from './gateway/telemetry/request-span.ts';
import { isKnownOrigin } from './graphql/http/credentials.ts';
import type { SessionExchange } from './services/sessions/session-exchange.ts';
import type { SiteCookies } from './services/sessions/site-cookies.ts';
import type { GraphqlDependencies } from './graphql/dependencies.ts';

export interface AppDependencies {
  readonly rest: RestDependencies;
  readonly graphql: Omit<GraphqlDependencies, 'publicUrl'>;
  /** Absent where `/v1/responses` accepts no WebSocket. */
  readonly responseSockets?: Omit<ResponseSocketDependencies, 'authentication' | 'isKnownOrigin'>;
  /** Build output of the dashboard. */
  readonly dashboardFolder: string;
  /** Number of trusted proxies in front of this process, for `X-Forwarded-For`. */
  readonly trustProxyHops: number;
  readonly isKnownHost: IsKnownHost;
  readonly cookies: SiteCookies;
  readonly sessions: Pick<SessionExchange, 'exchange'>;
  /** Absent where neither traces nor metrics are exported. */
  readonly telemetry?: Telemetry;
  readonly log: EdgeLog;
}

export interface App {
  readonly server: Server;
  /** Announces the end to clients and load balancers: each response closes its connection. */
  closeAfterResponses(): void;
  /** Closes WebSocket connections of `/v1/responses` as their running requests end. */
  beginStop(): void;
  /** Closes subscriptions and other long-lived connections. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 30_000;
/** For a complete request including its body: slow senders must not hold sockets indefinitely. */
const REQUEST_TIMEOUT_MS = 180_000;
/** Longer than the idle timeout of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 75_000;

/** One server for REST, GraphQL over HTTP and WebSocket, and the dashboard. */
export function buildApp(deps: AppDependencies): App {
  const app = express();
  const { publicUrl } = deps.rest.securityText;
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', deps.trustProxyHops);
  app.set('query parser', 'simple');
  app.set(PUBLIC_URL_SETTING, publicUrl);
  const errors = renderErrors(deps.log, deps.rest.metrics, deps.rest.rejections);
  const { cookies, sessions } = deps;
  const routed = hotRoutes(deps.rest, errors);
  const limit = new ConnectionLimit(descriptors, (error) => logExhausted(deps.log, error));
  deps.rest.metrics.addGauge(connectionGauge(limit));
  const limited = limit.before(routed, errors);
  const hot = deps.telemetry ? traced(deps.telemetry, limited) : limited;
  const server = createExpressServer(app, cookies.isHttps ? withTransportSecurity(hot) : hot, {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
  });
  limit.watch(server);
  closeIdleConnections(server, KEEP_ALIVE_MS);
  app.use(requireWellFormedPath);
  app.use(requireKnownHost(deps.isKnownHost));
  if (cookies.isHttps) app.use(exchangeSession(cookies, sessions));
  const sockets = responseSockets(deps);
  const graphql = mountGraphql(app, server, { ...deps.graphql, publicUrl }, upgradeResponses(sockets));
  const dashboard = buildDashboard(deps.dashboardFolder);
  app.use(dashboard.front);
  app.use(buildRestRouter(deps.rest));
  app.use(dashboard.pages, unknownUrl, errors);
  return {
    server,
    closeAfterResponses: () => closeAfterResponses(server),
    beginStop: () => sockets?.stop(),
    close() {
      sockets?.dispose();
      return graphql.dispose();
    },
  };
}

function traced(telemetry: Telemetry, first: First): First {
  return withTracing(telemetry, new HttpRoutes(Object.keys(buildOpenApiDocument().paths)), first);
}

function responseSockets({ responseSockets: sockets, rest, graphql }: AppDependencies): ResponseSockets | null {
  if (sockets === undefined) return null;
  const { settings } = graphql;
  return new ResponseSockets({
    ...sockets,
    authentication: rest,
    isKnownOrigin: (request) => isKnownOrigin(request, settings),
  });
}
