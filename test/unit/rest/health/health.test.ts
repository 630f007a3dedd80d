import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReadinessReport } from '../../../../src/gateway/metrics/readiness.ts';
import { buildHealthRouter } from '../../../../src/rest/health/health-router.ts';

let server: Server;

async function get(path: string, report: ReadinessReport): Promise<Response> {
  server = createServer(express().use(buildHealthRouter({ check: () => report }))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return fetch(`http://127.0.0.1:${address.port}${path}`, { headers: { connection: 'close' } });
}

afterEach(async () => {
  server.close();
  await once(server, 'close');
});

const broken: ReadinessReport = { ready: false, checks: { journal: 'disk full', database: 'ok' } };

describe('/healthz', () => {
  it('returns 200 while the process runs, ready or not, and is never cached', async () => {
    const answer = await get('/healthz', broken);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ status: 'ok' });
  });
});

describe('/readyz', () => {
  it('returns 200 when requests can be served', async () => {
    const answer = await get('/readyz', { ready: true, checks: { database: 'ok' } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ready', checks: { database: 'ok' } });
  });

  it('returns 503 with the reasons when they cannot', async () => {
    const answer = await get('/readyz', broken);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ status: 'not_ready', checks: broken.checks });
  });
});
