import { createServer, type Server } from 'node:http';
import express from 'express';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { renderErrors, unknownUrl, type EdgeLog } from '../http/errors.ts';
import { metricsReadersAtOwnAddress } from './metrics-access.ts';
import { buildMetricsRouter, type RenderMetricsPage } from './metrics-router.ts';

const TIMEOUT_MS = 30_000;

/** Serves only `/metrics`, for an address that only the operator's network reaches. */
export function createMetricsServer(
  render: RenderMetricsPage,
  metrics: GatewayMetrics,
  token: string | undefined,
  log: EdgeLog,
): Server {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(buildMetricsRouter(render, metricsReadersAtOwnAddress(token)), unknownUrl, renderErrors(log, metrics));
  return createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS }, app);
}
