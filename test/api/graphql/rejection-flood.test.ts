import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asking,
  flood,
  logRows,
  newKey,
  rejectedMetrics,
  reported,
  type Flood,
} from '../../harness/rejection-flood.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const REQUESTS = 3_000;

describe('a flood of rejected requests', () => {
  let server: ServerProcess;
  let sent: Flood;

  beforeAll(async () => {
    server = await startServer();
    const ask = asking(server);
    const keys = [await newKey(ask, 'One'), await newKey(ask, 'Two'), await newKey(ask, 'Three')];
    sent = await flood(server.url, keys, REQUESTS);
  });
  afterAll(() => server.dispose());

  it('is counted exactly in /metrics, by capability and code', async () => {
    expect(await rejectedMetrics(server.url)).toEqual(sent.byCapabilityAndCode);
  });

  it('adds few rows, and is counted exactly by key, code and protocol after the server has stopped', async () => {
    await server.end('SIGTERM');
    server = await server.restart();
    const ask = asking(server);
    await expect.poll(async () => (await reported(ask)).requests, { interval: 500 }).toBe(REQUESTS);
    const { errors, byKey, byKeyAndCode, providers } = await reported(ask);
    expect(errors).toBe(REQUESTS);
    expect(byKey).toEqual(sent.byKey);
    expect(byKeyAndCode).toEqual(sent.byKeyAndCode);
    expect(providers).toEqual(new Set(['']));
    const { rows, byProtocol } = await logRows(ask);
    expect(rows).toBeLessThanOrEqual(1_000);
    expect(byProtocol).toEqual(sent.byProtocol);
  });
});
