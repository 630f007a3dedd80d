import express, { type Express, type RequestHandler, type Router } from 'express';
import type { KeyDirectory } from '../gateway/key-directory.ts';
import type { GatewayMetrics } from '../gateway/metrics.ts';
import type { ModelDirectory } from '../gateway/model-directory.ts';
import type { Readiness } from '../gateway/readiness.ts';
import { requireCaller } from './caller.ts';
import { buildDocsRouter } from './docs/docs-router.ts';
import { onlyMethods, unknownUrl } from './errors.ts';
import { buildHealthRouter } from './health/health-router.ts';
import { buildMetricsRouter } from './metrics/metrics-router.ts';
import type { ProcessGauges } from './metrics/process-gauges.ts';
import { buildModelsRouter } from './models/models-router.ts';
import { answerPreflight } from './preflight.ts';
import { setStandardHeaders } from './answer-headers.ts';

const CHAT_COMPLETIONS = '/v1/chat/completions';

export interface RestDependencies {
  readonly keys: KeyDirectory;
  readonly models: ModelDirectory;
  readonly readiness: Readiness;
  readonly metrics: GatewayMetrics;
  readonly processGauges: ProcessGauges;
  /** Authenticates by itself and writes its own headers. */
  readonly chatCompletions: RequestHandler;
}

/**
 * The routes whose cost counts come first, on the application itself, and are found by their whole URL: a router's matching
 * costs as much as admission. Another way to write the URL takes the router's way.
 */
export function mountHotRoutes(app: Express, deps: RestDependencies): void {
  app.use((request, response, next) => {
    if (request.url === CHAT_COMPLETIONS && request.method === 'POST')
      return deps.chatCompletions(request, response, next);
    next();
  });
  app.post(CHAT_COMPLETIONS, deps.chatCompletions);
}

/**
 * The rest of REST. `/v1` ends here, known path or not; what else is unknown falls through. The host ends its chain with
 * `unknownUrl` and `renderErrors`.
 */
export function buildRestRouter(deps: RestDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router.use('/v1', buildV1Router(deps));
  router.use(buildHealthRouter(deps.readiness));
  router.use(buildMetricsRouter(deps.metrics, deps.processGauges));
  router.use(buildDocsRouter());
  return router;
}

/** Order of what clients notice: preflight, authentication, path, method. */
function buildV1Router(deps: RestDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(standardHeaders, answerPreflight, requireCaller(deps.keys));
  router.all('/chat/completions', onlyMethods('POST', 'OPTIONS'));
  router.use(buildModelsRouter(deps.models));
  router.use(unknownUrl);
  return router;
}

const standardHeaders: RequestHandler = (_request, response, next) => {
  setStandardHeaders(response);
  next();
};
