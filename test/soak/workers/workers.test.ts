import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../src/database/database.ts';
import { requestIdOf } from '../../../src/gateway/event-id.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { describeWithRedis } from '../../harness/redis.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { childrenOf, isRunning, startWorkers, type WorkersServer } from '../../harness/workers.ts';

const WORKERS = 2;

/** In this order: later tests end processes. */
describeWithRedis('a supervisor with workers', () => {
  describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('on PostgreSQL and Redis', () => {
    let provider: FakeProvider;
    let started: WorkersServer;
    let server: ServerProcess;
    let database: Database;

    beforeAll(async () => {
      provider = await startFakeProvider();
      started = await startWorkers(WORKERS, { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
      server = started.server;
      database = await openDatabase(server.database);
    });

    afterAll(async () => {
      await database.close();
      await server.dispose();
      await started.dispose();
      await provider.close();
    });

    beforeEach(() => provider.answerWith(completion()));

    /** @returns the id of an answered request; null where none was answered */
    async function chat(agent?: Agent): Promise<string | null> {
      const body = JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] });
      return new Promise((resolve) => {
        const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
        const options = { method: 'POST', headers, ...(agent && { agent }) };
        const sent = sendRequest(`${server.url}/v1/chat/completions`, options, (response) => {
          const id = response.statusCode === 200 ? String(response.headers['x-request-id']) : null;
          response.on('error', () => resolve(null)).resume();
          response.on('end', () => resolve(response.complete ? id : null));
        });
        sent.on('error', () => resolve(null)).end(body);
      });
    }

    function streamed(): Promise<Response> {
      return fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'openai/gpt-4.1-mini',
          stream: true,
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      });
    }

    /** Of these requests, those that are in the log, as often as they are. */
    async function logged(ids: readonly string[]): Promise<string[]> {
      const rows = await database.query<{ id: string }>('select event_id as id from usage_logs');
      const sought = new Set(ids);
      return rows.map(({ id }) => requestIdOf(id)).filter((id) => sought.has(id));
    }

    async function expectLoggedOnce(ids: readonly string[]): Promise<void> {
      await expect.poll(async () => new Set(await logged(ids)).size).toBe(ids.length);
      expect(await logged(ids)).toHaveLength(ids.length);
    }

    /** Has the provider send a stream that ends when the test says so. */
    function streamUntil(finish: Promise<void>): void {
      provider.answerWith(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ content: 'One' }));
        await finish;
        response.end(`${chunk({ content: 'Two' }, 'stop')}data: [DONE]\n\n`);
      });
    }

    /** Whether the port accepts no new connection. */
    function isRefused(): Promise<boolean> {
      const { hostname, port } = new URL(server.url);
      return new Promise((resolve) => {
        const socket = connect(Number(port), hostname, () => resolve(false));
        socket.on('error', () => resolve(true)).on('connect', () => socket.destroy());
      });
    }

    /** Of a metric without labels. */
    async function metric(name: string): Promise<number> {
      const page = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
    }

    it('has one process per worker, each with a folder of its own, and prints its welcome once', () => {
      expect(childrenOf(server.pid)).toHaveLength(WORKERS);
      for (let slot = 0; slot < WORKERS; slot++)
        for (const name of ['lock', 'journal'])
          expect(existsSync(join(server.dataDir, `worker-${slot}`, name))).toBe(true);
      expect(existsSync(join(server.dataDir, 'journal'))).toBe(false);
      expect(server.output().match(/Sluice is ready at/g)).toHaveLength(1);
      expect(server.output().match(/API key:/g)).toHaveLength(1);
    });

    it('logs each request once, whichever worker serves it', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 20 });
      const ids = await Promise.all(Array.from({ length: 200 }, () => chat(agent)));
      agent.destroy();
      expect(ids).not.toContain(null);
      await expectLoggedOnce(ids.filter((id) => id !== null));
    });

    it('reports the metrics of all workers, whichever is asked', async () => {
      const series = 'sluice_requests_total\\{capability="chat",status="2xx"\\}';
      for (let asked = 0; asked < 2 * WORKERS; asked++) expect(await metric(series)).toBe(200);
      expect(await metric('sluice_workers')).toBe(WORKERS);
      expect(await metric('sluice_worker_restarts_total')).toBe(0);
    });

    // Before workers are killed: one that starts again would read the file that is not valid, and end.
    it('reads sluice.yaml again on SIGHUP', async () => {
      const reads = (): number => server.output().match(/sluice\.yaml is not valid/g)?.length ?? 0;
      const [path, next] = [join(server.dataDir, 'sluice.yaml'), join(server.dataDir, 'sluice.next.yaml')];
      // At once: a file that is written in two steps may be read twice.
      const replace = (text: string): void => {
        writeFileSync(next, text);
        renameSync(next, path);
      };
      try {
        replace('routes: 7\n');
        await expect.poll(reads).toBe(WORKERS);
        // The file is the same, so that nothing but the signal has it read.
        process.kill(server.pid, 'SIGHUP');
        await expect.poll(reads).toBe(2 * WORKERS);
      } finally {
        replace('');
      }
    });

    it('starts a killed worker again, and loses no answered request', async () => {
      const [victim = 0] = childrenOf(server.pid);
      const answered: string[] = [];
      let killed = false;
      const client = async (): Promise<void> => {
        for (let sent = 0; sent < 40; sent++) {
          const id = await chat();
          if (id !== null) answered.push(id);
          if (answered.length < 80 || killed) continue;
          killed = true;
          process.kill(victim, 'SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: 8 }, client));
      expect(killed).toBe(true);
      await expectLoggedOnce(answered);
      await expect.poll(() => childrenOf(server.pid).length).toBe(WORKERS);
      expect(childrenOf(server.pid)).not.toContain(victim);
      // Of a worker that starts, it is not the end.
      process.kill(server.pid, 'SIGHUP');
      expect(await chat()).not.toBeNull();
      await expect.poll(() => metric('sluice_workers')).toBe(WORKERS);
      expect(await metric('sluice_worker_restarts_total')).toBe(1);
    });

    it('serves on the port that the system chose after all workers were killed, one after another', async () => {
      const restarts = (await metric('sluice_worker_restarts_total')) + WORKERS;
      for (const victim of childrenOf(server.pid)) {
        process.kill(victim, 'SIGKILL');
        await expect.poll(() => childrenOf(server.pid)).not.toContain(victim);
      }
      await expect.poll(() => metric('sluice_worker_restarts_total').catch(() => 0)).toBe(restarts);
      await expect.poll(() => childrenOf(server.pid).length).toBe(WORKERS);
      // Each of them is reached.
      for (let asked = 0; asked < 2 * WORKERS; asked++) expect(await chat()).not.toBeNull();
    });

    it('ends open requests before it ends on SIGTERM', async () => {
      const finish = Promise.withResolvers<void>();
      streamUntil(finish.promise);
      const open = await Promise.all(Array.from({ length: 6 }, streamed));
      const ended = server.end('SIGTERM');
      await expect.poll(isRefused).toBe(true);
      finish.resolve();
      for (const response of open) expect(await response.text()).toContain('Two');
      expect(await ended).toBe(0);
      await expectLoggedOnce(open.map(({ headers }) => String(headers.get('x-request-id'))));
      expect(existsSync(join(server.dataDir, 'lock'))).toBe(false);
    });

    it('has its workers end open requests, and then themselves, when it is killed', async () => {
      server = await server.restart();
      const workers = childrenOf(server.pid);
      const finish = Promise.withResolvers<void>();
      streamUntil(finish.promise);
      const open = await Promise.all(Array.from({ length: 4 }, streamed));
      await server.end('SIGKILL');
      expect(workers.filter(isRunning)).toEqual(workers);
      finish.resolve();
      for (const response of open) expect(await response.text()).toContain('Two');
      await expect.poll(() => workers.filter(isRunning)).toEqual([]);
      await expectLoggedOnce(open.map(({ headers }) => String(headers.get('x-request-id'))));
    });

    it('loses nothing when the number of workers changes, also from and to one process', async () => {
      provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
      const interrupted: string[] = [];
      for (const workers of ['3', '1', '2', '1']) {
        server = await server.restart({ WORKERS: workers });
        const open = await Promise.all(Array.from({ length: 6 }, streamed));
        interrupted.push(...open.map(({ headers }) => String(headers.get('x-request-id'))));
        const pids = workers === '1' ? [] : childrenOf(server.pid);
        // The workers first: they would drain.
        process.kill(server.pid, 'SIGSTOP');
        for (const pid of pids) process.kill(pid, 'SIGKILL');
        await server.end('SIGKILL');
        for (const response of open) await response.text().catch(() => null);
      }
      server = await server.restart({ WORKERS: '2' });
      await expectLoggedOnce(interrupted);
      expect(readdirSync(server.dataDir).filter((name) => name === 'journal')).toEqual([]);
      expect(await server.end('SIGTERM')).toBe(0);
    });
  });
});
