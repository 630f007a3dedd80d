import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asking,
  checkpointedRequests,
  countedRequests,
  flood,
  logRows,
  newKey,
  rejectedMetrics,
  reported,
} from '../harness/rejection-flood.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const REQUESTS = 100_000;

describe('a flood of 100,000 rejected requests', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.dispose());

  it('adds at most 1,000 rows and exact counts, though the server is killed after it', async () => {
    const asked = asking(server);
    const keys = await Promise.all(['One', 'Two', 'Three', 'Four'].map((name) => newKey(asked, name)));
    const sent = await flood(server.url, keys, REQUESTS);
    expect(await rejectedMetrics(server.url)).toEqual(sent.byCapabilityAndCode);
    // What is not settled yet is in the journal half a second later.
    await expect
      .poll(async () => (await countedRequests(asked)) + checkpointedRequests(server.dataDir), { interval: 500 })
      .toBe(REQUESTS);
    await server.end('SIGKILL');
    server = await server.restart();
    const ask = asking(server);
    await expect.poll(() => countedRequests(ask), { interval: 500 }).toBe(REQUESTS);
    const { errors, byKey, byKeyAndCode } = await reported(ask);
    expect(errors).toBe(REQUESTS);
    expect(byKey).toEqual(sent.byKey);
    expect(byKeyAndCode).toEqual(sent.byKeyAndCode);
    const { rows, byProtocol } = await logRows(ask);
    expect(rows).toBeLessThanOrEqual(1_000);
    expect(byProtocol).toEqual(sent.byProtocol);
  });
});
