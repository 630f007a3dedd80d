import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase, type Database } from '../../src/database/database.ts';
import { requestIdOf } from '../../src/gateway/event-id.ts';
import { createDatabase, dropDatabase } from '../harness/create-database.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { launchServer, type LaunchedServer } from '../harness/launch-server.ts';
import { serverPostgres } from '../harness/postgres.ts';
import { TEST_SECRET } from '../harness/product-template.ts';
import { describeWithRedis, startRedis, UNREACHED_TIMEOUT_MS, type RunningRedis } from '../harness/redis.ts';
import { shared } from '../harness/shared-resources.ts';

const sluice = fileURLToPath(new URL('../../dist/cli/sluice.js', import.meta.url));
const MODEL = 'openai/priced';
const ADOPTED = 'adopted the journals of an instance that ended';
const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
const idSchema = z.object({ id: z.string() });

describeWithRedis('one of three instances that ends for good under load', () => {
  describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('on PostgreSQL and Redis', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-instances-'));
    const instances: LaunchedServer[] = [];
    let env: Record<string, string>;
    let removeDatabase: () => Promise<void>;
    let redis: RunningRedis;
    let provider: FakeProvider;
    let database: Database;

    const dataDir = (place: number): string => join(folder, `gateway-${place}`);
    const at = (place: number): LaunchedServer => {
      const instance = instances[place];
      if (instance === undefined) throw new Error(`There is no instance ${place}.`);
      return instance;
    };

    beforeAll(async () => {
      await shared('build');
      const config = join(folder, 'sluice.yaml');
      writeFileSync(config, `models:\n  ${MODEL}: { input: "0.5", output: "1", max_output_tokens: 100000 }\n`);
      const { adminUrl, template } = await shared('migratedDatabase');
      const { name, url } = await createDatabase(adminUrl, template);
      removeDatabase = () => dropDatabase(adminUrl, name);
      redis = await startRedis();
      provider = await startFakeProvider();
      provider.answerWith(completion({ usage }));
      env = {
        DATABASE_URL: url,
        REDIS_URL: redis.url,
        SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_CONFIG: config,
        SLUICE_INSTANCES_DIR: folder,
        OPENAI_API_KEY: 'x',
        OPENAI_BASE_URL: provider.url,
        LOG_LEVEL: 'info',
      };
      for (const place of [0, 1, 2]) {
        mkdirSync(dataDir(place), { mode: 0o700 });
        instances.push(await launchServer(dataDir(place), env, instances[0] ?? null));
      }
      database = await openDatabase({ dataDir: folder, url });
    });

    afterAll(async () => {
      await database.close();
      for (const instance of instances) await instance.end('SIGKILL');
      await provider.close();
      await redis.stop();
      await removeDatabase();
      rmSync(folder, { recursive: true, force: true });
    });

    const authorization = (): string => `Bearer ${at(0).apiKey}`;

    const chat = (server: LaunchedServer, key: string, stream = false): Promise<Response> =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: authorization(), 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ model: MODEL, stream, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
      });

    /** Of requests that were answered, until it is stopped. An instance that is killed refuses connections. */
    function load(servers: readonly LaunchedServer[]) {
      const answered = new Set<string>();
      let isStopped = false;
      const send = async (server: LaunchedServer): Promise<void> => {
        while (!isStopped) {
          const response = await chat(server, randomUUID()).catch(() => null);
          if (response === null) return;
          const text = await response.text().catch(() => null);
          if (text === null) return;
          expect(response.status, text).toBe(200);
          answered.add(response.headers.get('x-request-id') ?? '');
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const sending = Promise.all(servers.map(send));
      const stop = async (): Promise<void> => {
        isStopped = true;
        await sending;
      };
      return { answered, stop };
    }

    async function upload(server: LaunchedServer, content: string): Promise<string> {
      const form = new FormData();
      form.set('purpose', 'user_data');
      form.set('file', new Blob([content]), 'kept.txt');
      const response = await fetch(`${server.url}/v1/files`, {
        method: 'POST',
        headers: { authorization: authorization() },
        body: form,
      });
      return idSchema.parse(await response.json()).id;
    }

    const contentAt = async (server: LaunchedServer, file: string): Promise<string> => {
      const response = await fetch(`${server.url}/v1/files/${file}/content`, {
        headers: { authorization: authorization() },
      });
      return response.text();
    };

    const stored = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
      const rows = await database.query<{ id: string; status: string }>(
        'select event_id as id, status from usage_logs',
      );
      return byRequest(rows);
    };

    it('is adopted once by another one, and each answered request is billed once', async () => {
      const file = await upload(at(2), 'of the instance that ends');
      provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
      const openKey = randomUUID();
      const open = await chat(at(2), openKey, true);
      open.text().catch(() => null);
      const openId = open.headers.get('x-request-id') ?? '';
      provider.answerWith(completion({ usage }));
      const all = load(instances);
      await expect.poll(() => all.answered.size).toBeGreaterThan(100);
      await at(2).end('SIGKILL');
      expect((await chat(at(0), openKey, true)).status).toBe(409);

      const adoptions = (): number =>
        [0, 1].reduce((sum, place) => sum + at(place).output().split(ADOPTED).length - 1, 0);
      // A lock has to be unchanged for 90 s.
      await expect.poll(adoptions, { timeout: 240_000, interval: 1_000 }).toBe(1);
      await all.stop();

      const states = async (ids: Iterable<string>): Promise<string[]> => {
        const rows = await stored();
        return [...ids].map((id) => rows.get(id)?.join() ?? 'not stored');
      };
      await expect.poll(async () => new Set(await states(all.answered))).toEqual(new Set(['succeeded']));
      expect(await states([openId])).toEqual(['interrupted']);
      const repeated = await chat(at(1), openKey, true);
      expect(await repeated.json()).toMatchObject({ error: { code: 'idempotency_interrupted' } });
      expect(existsSync(join(dataDir(2), 'idempotency'))).toBe(false);
      expect(await Promise.all([0, 1].map((place) => contentAt(at(place), file)))).toContain(
        'of the instance that ends',
      );
      const ledger = execFileSync(process.execPath, [sluice, 'ledger', 'check'], {
        env: { PATH: process.env.PATH, SLUICE_DATA_DIR: join(folder, 'gateway-cli'), ...env },
        encoding: 'utf8',
      });
      expect(ledger).toContain('The ledger is consistent');
      expect(adoptions()).toBe(1);
    });
  });
});

function byRequest(rows: readonly { readonly id: string; readonly status: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { id, status } of rows) found.set(requestIdOf(id), [...(found.get(requestIdOf(id)) ?? []), status]);
  return found;
}
