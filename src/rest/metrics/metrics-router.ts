import express, { type Router } from 'express';
import { onlyMethods } from '../http/errors.ts';
import type { RequireMetricsReader } from './metrics-access.ts';
import { metricsContentType } from './render-metrics.ts';

/** Renders the page as of now; later where other processes have to be asked. */
export type RenderMetricsPage = () => string | Promise<string>;

/** `/metrics` for Prometheus. Restricted to the operator, although it contains no content. */
export function buildMetricsRouter(render: RenderMetricsPage, requireReader: RequireMetricsReader): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/metrics')
    .get(async (request, response) => {
      response.setHeader('cache-control', 'no-store');
      requireReader(request);
      const page = await render();
      response.setHeader('content-type', metricsContentType);
      response.end(page);
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}
