import express, { type Router } from 'express';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { onlyMethods } from '../http/errors.ts';
import type { RequireMetricsReader } from './metrics-access.ts';
import type { ProcessGauges } from './process-gauges.ts';
import { metricsContentType, renderMetrics } from './render-metrics.ts';

/** `/metrics` for Prometheus. Restricted to the operator, although it contains no content. */
export function buildMetricsRouter(
  metrics: GatewayMetrics,
  processGauges: ProcessGauges,
  requireReader: RequireMetricsReader,
): Router {
  const router = express.Router({ caseSensitive: true });
  const gauges = processGauges.list();
  router
    .route('/metrics')
    .get((request, response) => {
      response.setHeader('cache-control', 'no-store');
      requireReader(request);
      response.setHeader('content-type', metricsContentType);
      response.end(renderMetrics(metrics, gauges));
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}
