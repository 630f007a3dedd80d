import type { IncomingHttpHeaders } from 'node:http';
import type { IncomingTrace, Telemetry } from '../../gateway/telemetry/request-span.ts';
import type { First } from '../http/express-server.ts';
import type { HttpRoutes } from './http-route.ts';

/** The APIs. Pages of the dashboard and health checks have no spans. */
const traced = /^\/(?:v1|v1beta|v2|openai|graphql)(?:[/?]|$)/;

export function incomingTrace({ traceparent, tracestate }: IncomingHttpHeaders): IncomingTrace {
  return {
    traceparent: traceparent === undefined ? undefined : String(traceparent),
    tracestate: tracestate === undefined ? undefined : String(tracestate),
  };
}

/** Starts a span for each request to the APIs. */
export function withTracing(telemetry: Telemetry, routes: HttpRoutes, first: First): First {
  return (request, response) => {
    const { method, url, headers } = request;
    if (traced.test(url)) {
      const span = telemetry.startRequest(incomingTrace(headers));
      response.locals.span = span;
      response.once('close', () =>
        span.closed({ method, route: routes.of(url), status: response.headersSent ? response.statusCode : null }),
      );
    }
    return first(request, response);
  };
}
