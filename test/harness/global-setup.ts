import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { buildProduct } from './build-product.ts';
import type { RunningPostgres } from './postgres.ts';
import type { ServerProcess } from './server-process.ts';
import type { SharedName, SharedResources } from './shared-resources.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for what they share; see shared-resources.ts. */
    sharedResourcesSocket: string;
  }
}

/**
 * Holds what test files share. Nothing is made before the first file asks for it, and then once: a run of pure
 * tests neither builds nor starts anything. Modules of the product are imported for the same reason where they
 * are needed.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  // The unprivileged user of PostgreSQL passes through it.
  await chmod(folder, 0o711);
  let postgres: RunningPostgres | undefined;
  const servers: ServerProcess[] = [];
  const databases: string[] = [];

  const makers: { readonly [Name in SharedName]: (argument: string) => Promise<SharedResources[Name]> } = {
    build: async () => {
      await buildProduct();
      return {};
    },
    postgres: async () => {
      const given = process.env.TEST_DATABASE_URL;
      if (given) return { adminUrl: given };
      const { startPostgres } = await import('./postgres.ts');
      postgres = await startPostgres(join(folder, 'server'));
      return { adminUrl: postgres.url };
    },
    migratedDatabase: async () => {
      const { adminUrl } = await get('postgres');
      const { createDatabase } = await import('./create-database.ts');
      const { name, url } = await createDatabase(adminUrl);
      databases.push(name);
      await migrateAndClose({ url, dataDir: folder });
      return { adminUrl, template: name };
    },
    migratedFolder: async () => {
      const dataDir = join(folder, 'embedded');
      await migrateAndClose({ dataDir });
      return { dataDir };
    },
    productFolder: async () => {
      await get('build');
      const { embeddedTemplate } = await import('./product-template.ts');
      return embeddedTemplate();
    },
    productDatabase: async () => {
      await get('build');
      const { adminUrl } = await get('postgres');
      const { createDatabase } = await import('./create-database.ts');
      const { firstStart } = await import('./product-template.ts');
      const { name, url } = await createDatabase(adminUrl);
      databases.push(name);
      const owner = await firstStart(join(folder, 'first-start'), { DATABASE_URL: url });
      return { adminUrl, template: name, owner };
    },
    server: async (argument) => {
      const { env, files } = JSON.parse(argument);
      const { startServerForAccounts } = await import('./server-process.ts');
      const server = await startServerForAccounts(get, env, files);
      servers.push(server);
      return { url: server.url, database: server.database, pid: server.pid };
    },
  };
  const made = new Map<string, Promise<SharedResources[SharedName]>>();
  const isName = (text: string): text is SharedName => Object.hasOwn(makers, text);

  function get<Name extends SharedName>(name: Name, argument?: string): Promise<SharedResources[Name]>;
  function get(name: SharedName, argument = ''): Promise<SharedResources[SharedName]> {
    const key = `${name} ${argument}`;
    const making = made.get(key) ?? makers[name](argument);
    made.set(key, making);
    return making;
  }

  async function answer(request: string): Promise<string> {
    const [, name = '', argument = ''] = /^(\w+) ?(.*)$/.exec(request) ?? [];
    if (!isName(name)) return JSON.stringify({ error: `There is no shared ${name}.` });
    try {
      return JSON.stringify({ value: await get(name, argument) });
    } catch (error) {
      return JSON.stringify({ error: String(error) });
    }
  }

  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    createInterface(socket).once('line', (line) => void answer(line).then((text) => socket.end(text)));
  });
  const path = join(folder, 'shared.sock');
  server.listen(path);
  await once(server, 'listening');
  project.provide('sharedResourcesSocket', path);

  return async () => {
    server.close();
    await Promise.allSettled(made.values());
    await Promise.all(servers.map((each) => each.dispose()));
    if (process.env.TEST_DATABASE_URL) {
      const { dropDatabase } = await import('./create-database.ts');
      for (const name of databases) await dropDatabase(process.env.TEST_DATABASE_URL, name);
    }
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function migrateAndClose(options: { url?: string; dataDir: string }): Promise<void> {
  await import('reflect-metadata');
  const { openDatabase } = await import('../../src/database/database.ts');
  const database = await openDatabase(options);
  await database.migrate();
  await database.close();
}
