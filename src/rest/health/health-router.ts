import express, { type Router } from 'express';
import type { Readiness } from '../../gateway/metrics/readiness.ts';
import { sendJson } from '../http/send-json.ts';
import { onlyMethods } from '../http/errors.ts';

/** `/healthz`: the process runs. `/readyz`: it can serve. */
export function buildHealthRouter(readiness: Readiness): Router {
  const router = express.Router({ caseSensitive: true });
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  router
    .route('/healthz')
    .get((_request, response) => {
      response.setHeader('cache-control', 'no-store');
      sendJson(response, 200, '{"status":"ok"}');
    })
    .all(reading);
  router
    .route('/readyz')
    .get((_request, response) => {
      const { ready, checks } = readiness.check();
      response.setHeader('cache-control', 'no-store');
      sendJson(response, ready ? 200 : 503, JSON.stringify({ status: ready ? 'ready' : 'not_ready', checks }));
    })
    .all(reading);
  return router;
}
