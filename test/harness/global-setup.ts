import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.ts';
import { createDatabase } from './create-database.ts';
import { startPostgres, type RunningPostgres } from './postgres.ts';
import type { SharedName, SharedResources } from './shared-resources.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for what they share; see shared-resources.ts. */
    sharedResourcesSocket: string;
  }
}

/**
 * Holds what all test files share. Nothing is made before the first file asks for it, and then once: files ask
 * over a socket, so that a run of a few pure tests starts no database.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  // The unprivileged user of PostgreSQL passes through it.
  await chmod(folder, 0o711);
  let postgres: RunningPostgres | undefined;

  const makers: { readonly [Name in SharedName]: () => Promise<SharedResources[Name]> } = {
    serverTemplate: async () => {
      const given = process.env.TEST_DATABASE_URL;
      if (!given) postgres = await startPostgres(join(folder, 'server'));
      const adminUrl = given ?? postgres?.url ?? '';
      const template = await createDatabase(adminUrl);
      await migrateAndClose({ url: template.url, dataDir: folder });
      return { adminUrl, template: template.name };
    },
    embeddedTemplate: async () => {
      const dataDir = join(folder, 'embedded');
      await migrateAndClose({ dataDir });
      return { dataDir };
    },
  };
  const made = new Map<SharedName, Promise<SharedResources[SharedName]>>();
  const isName = (text: string): text is SharedName => Object.hasOwn(makers, text);

  async function answer(name: string): Promise<string> {
    if (!isName(name)) return JSON.stringify({ error: `There is no shared ${name}.` });
    const making = made.get(name) ?? makers[name]();
    made.set(name, making);
    try {
      return JSON.stringify({ value: await making });
    } catch (error) {
      return JSON.stringify({ error: String(error) });
    }
  }

  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.once('data', (name) => void answer(String(name).trim()).then((text) => socket.end(text)));
  });
  const path = join(folder, 'shared.sock');
  server.listen(path);
  await once(server, 'listening');
  project.provide('sharedResourcesSocket', path);

  return async () => {
    server.close();
    const template = await made.get('serverTemplate')?.catch(() => undefined);
    if (template && 'adminUrl' in template && process.env.TEST_DATABASE_URL) {
      const { dropDatabase } = await import('./create-database.ts');
      await dropDatabase(template.adminUrl, template.template);
    }
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function migrateAndClose(options: { url?: string; dataDir: string }): Promise<void> {
  const database = await openDatabase(options);
  await database.migrate();
  await database.close();
}
