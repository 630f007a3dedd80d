import express, { type Router } from 'express';
import type { GatewayMetrics } from '../../gateway/metrics.ts';
import { onlyMethods } from '../errors.ts';
import type { ProcessGauges } from './process-gauges.ts';
import { metricsContentType, renderMetrics } from './render-metrics.ts';

/** `/metrics`, for Prometheus. Open like the health routes: it holds counts, and neither names nor content. */
export function buildMetricsRouter(metrics: GatewayMetrics, processGauges: ProcessGauges): Router {
  const router = express.Router({ caseSensitive: true });
  const gauges = processGauges.list();
  router
    .route('/metrics')
    .get((_request, response) => {
      response.setHeader('content-type', metricsContentType);
      response.setHeader('cache-control', 'no-store');
      response.end(renderMetrics(metrics, gauges));
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}
