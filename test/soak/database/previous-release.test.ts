import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { post } from '../../harness/graphql-client.ts';
import { launchServer, type LaunchedServer } from '../../harness/launch-server.ts';
import {
  buildPreviousRelease,
  hasHistory,
  hasPreviousRelease,
  type BuiltRelease,
} from '../../harness/previous-release.ts';
import { startServerOn } from '../../harness/server-on-database.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';

const reads = `{
  viewer { __typename } account { id name } permissions { __typename }
  apiKeys(first: 5) { nodes { name } } providerConnections { id } routes { name } budgets { __typename }
  models(first: 5) { nodes { id } } plans { __typename } invoices(first: 5) { nodes { __typename } } upcomingInvoice { __typename }
  auditLog(first: 5) { nodes { action } } comparisons(first: 5) { nodes { id } } batches(first: 5) { nodes { id } }
  usageLogs(first: 20) { nodes { status model inputTokens outputTokens } }
}`;

let release: BuiltRelease | null = null;
afterAll(() => release?.remove());

test('the sources of the previous release are in each clone with all history', () => {
  expect(hasPreviousRelease() || !hasHistory()).toBe(true);
});

// Without its sources it cannot be run: then the clone is shallow, or no clone.
if (hasPreviousRelease())
  describeOnEachDatabase('the previous release on the schema of this one', (databases) => {
    const isServer = databases.kind === 'server';
    let current: ServerProcess;
    let previous: LaunchedServer;
    let place: OpenDatabaseOptions;
    const folder = mkdtempSync(join(tmpdir(), 'sluice-previous-data-'));

    beforeAll(async () => {
      release ??= buildPreviousRelease();
      current = await startServerOn(databases);
      place = current.database;
      // Several processes need a server: then both run at once, as during an upgrade of one after another.
      if (!isServer) await current.end('SIGTERM');
      const env = {
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_SANDBOX: 'on',
        SLUICE_SIGNUP: 'open',
        ...(place.url !== undefined && { DATABASE_URL: place.url }),
      };
      previous = await launchServer(isServer ? folder : current.dataDir, env, current, { program: release.main });
    });
    afterAll(async () => {
      await previous.end('SIGKILL');
      await current.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    const chat = (server: LaunchedServer, more: object = {}) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }], ...more }),
      });

    async function read(server: LaunchedServer): Promise<Record<string, unknown>> {
      const { data, errors } = await post(server.url, { query: reads }, { authorization: `Bearer ${server.apiKey}` });
      expect(errors).toBeUndefined();
      return data ?? {};
    }

    test('serves, meters and answers reads, beside processes of this one', async () => {
      const servers = isServer ? [previous, current] : [previous];
      for (const server of servers) {
        const plain = await chat(server);
        expect(plain.status, await plain.text()).toBe(200);
        const streamed = await chat(server, { stream: true });
        expect(await streamed.text()).toContain('data: [DONE]');
        const failed = await chat(server, { model: 'sandbox/missing' });
        expect(failed.status).toBe(404);
      }
      for (const server of servers)
        await expect
          .poll(async () => {
            const { usageLogs } = (await read(server)) as { usageLogs: { nodes: { status: string }[] } };
            return usageLogs.nodes.filter(({ status }) => status === 'SUCCEEDED').length;
          })
          .toBe(2 * servers.length);
      expect(previous.output()).not.toMatch(/"level":(?:50|60)|\bERROR\b/);
      expect(await previous.end('SIGTERM'), previous.output()).toBe(0);
      if (isServer) expect(await current.end('SIGTERM'), current.output()).toBe(0);
      const database = await openDatabase(place);
      try {
        expect(await verifyLedger(database)).toMatchObject({ faults: [] });
      } finally {
        await database.close();
      }
    });
  });
