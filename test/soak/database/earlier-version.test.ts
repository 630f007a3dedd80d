import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { applyReplacedMigrations, replacedMigrations, storeByEarlierVersion } from '../../harness/earlier-database.ts';
import { startFailing, startServerIn } from '../../harness/server-process.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sluice-earlier-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('a data folder of a version before the initial migration is served, once its migrations are complete', async () => {
  const [first, ...others] = replacedMigrations;
  if (first === undefined) throw new Error('The fixture has no migration.');
  const database = await openDatabase({ dataDir });
  await applyReplacedMigrations(database, [first]);
  await database.close();

  const refused = await startFailing({ SLUICE_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' });
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/^This version cannot upgrade the database: .*docs\/operations\/upgrade\.md.*\n$/);

  const upgraded = await openDatabase({ dataDir });
  await applyReplacedMigrations(upgraded, others);
  await storeByEarlierVersion(upgraded, rowsJson([usageRecord()]));
  await upgraded.close();

  const server = await startServerIn(dataDir);
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(answer.status).toBe(200);
  expect(await server.end('SIGTERM'), server.output()).toBe(0);

  const served = await openDatabase({ dataDir });
  expect(await served.query('select status from usage_logs')).toEqual([
    { status: 'succeeded' },
    { status: 'succeeded' },
  ]);
  expect((await verifyLedger(served)).faults).toEqual([]);
  await served.close();
});
