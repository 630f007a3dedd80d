import express, { type Router } from 'express';
import { onlyMethods } from '../http/errors.ts';
import type { RequireMetricsReader } from './metrics-access.ts';
import { formatFor } from './page-format.ts';

/** Renders the page as of now, as `renderMetrics` does; later where other processes have to be asked. */
export type RenderMetricsPage = () => string | Promise<string>;

/** `/metrics` for Prometheus, in OpenMetrics where the client prefers that. Restricted to the operator, although it contains no content. */
export function buildMetricsRouter(render: RenderMetricsPage, requireReader: RequireMetricsReader): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/metrics')
    .get(async (request, response) => {
      response.setHeader('cache-control', 'no-store');
      requireReader(request);
      const page = await render();
      const format = formatFor(request.headers.accept);
      response.vary('accept').setHeader('content-type', format.contentType);
      response.end(format.of(page));
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}
