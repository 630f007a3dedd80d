import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../src/database/database.ts';
import { createDatabase, dropDatabase } from './create-database.ts';
import { serverPostgres } from './postgres.ts';
import { shared } from './shared-resources.ts';
import { WorkerDatabase } from './worker-database.ts';

export interface TestDatabases {
  readonly kind: Database['kind'];
  /**
   * The worker's database, migrated and empty. It is one for all tests of the worker: what an earlier call returned
   * can be used no more, and closing it does nothing. A suite that needs two at once, or ends connections, takes a place.
   */
  open(): Promise<Database>;
  /** A database of its own that nobody has open, removed when the suite ends; `empty`: without any migration. */
  place(content?: 'migrated' | 'empty'): Promise<OpenDatabaseOptions>;
}

/**
 * Runs a suite on the embedded database and on server PostgreSQL: one about what differs between them. Those are
 * migrations, recovery, jobs, locks, change notification and partitions.
 */
export function describeOnEachDatabase(name: string, suite: (databases: TestDatabases) => void): void {
  describe(`${name} (embedded)`, () => suite(testDatabases('embedded')));
  describeOnServer(name, suite);
}

/** Runs a suite on server PostgreSQL only: one about several processes or connections. */
export function describeOnServer(name: string, suite: (databases: TestDatabases) => void): void {
  if (serverPostgres() !== 'missing') {
    describe(`${name} (server)`, () => suite(testDatabases('server')));
  } else if (process.env.CI === 'true') {
    test(`${name} (server) finds a PostgreSQL server`, () =>
      expect.fail('Install postgresql, or set TEST_DATABASE_URL.'));
  } else {
    describe.skip(`${name} (server)`, () => suite(testDatabases('server')));
  }
}

/**
 * Runs a suite on server PostgreSQL, or on the embedded database where no server is installed or
 * `SLUICE_TEST_BACKEND=embedded` is set.
 */
export function describeWithDatabase(name: string, suite: (databases: TestDatabases) => void): void {
  const isEmbedded = process.env.SLUICE_TEST_BACKEND === 'embedded' || serverPostgres() === 'missing';
  describe(name, () => suite(testDatabases(isEmbedded ? 'embedded' : 'server')));
}

/** A data folder of its own; `migrated` copies one that a database was made in, which spares seconds. */
export async function temporaryDataDir(content: 'migrated' | 'empty' = 'migrated'): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-data-'));
  if (content === 'migrated') await cp((await shared('migratedFolder')).dataDir, dataDir, { recursive: true });
  return { options: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

interface Place {
  readonly options: OpenDatabaseOptions;
  remove(): Promise<void>;
}

async function serverPlace(content: 'migrated' | 'empty' = 'migrated'): Promise<Place> {
  const { adminUrl, template } = await shared('migratedDatabase');
  const { name, url } = await createDatabase(adminUrl, content === 'migrated' ? template : undefined);
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-data-'));
  return {
    options: { url, dataDir },
    remove: async () => {
      await dropDatabase(adminUrl, name);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const placeMakers = { embedded: temporaryDataDir, server: serverPlace };

/** One of each kind for all files that a worker runs, opened when a test first asks for it. */
class WorkerDatabases {
  readonly #made = new Map<Database['kind'], Promise<{ readonly worker: WorkerDatabase; readonly place: Place }>>();

  async lend(kind: Database['kind']): Promise<Database> {
    const making = this.#made.get(kind) ?? this.#make(kind);
    this.#made.set(kind, making);
    return (await making).worker.lend();
  }

  async #make(kind: Database['kind']) {
    const place = await placeMakers[kind]();
    return { worker: await WorkerDatabase.of(await openDatabase(place.options)), place };
  }

  async close(): Promise<void> {
    for (const [kind, making] of this.#made) {
      const { worker, place } = await making;
      const closed = worker.close();
      // The embedded database writes to its folder until then. On a server, closing would wait for connections that a
      // test did not give back: removal ends them.
      if (kind === 'embedded') await closed;
      await place.remove();
    }
  }
}

// Vitest reads from the pattern which fixtures this one needs: none.
// oxlint-disable-next-line no-empty-pattern
const inWorker = test.extend('workerDatabases', { scope: 'worker' }, ({}, { onCleanup }) => {
  const databases = new WorkerDatabases();
  onCleanup(() => databases.close());
  return databases;
});

function testDatabases(kind: Database['kind']): TestDatabases {
  const places: Place[] = [];
  let ofWorker: WorkerDatabases | undefined;

  inWorker.beforeAll(({ workerDatabases }) => {
    ofWorker = workerDatabases;
  });
  afterAll(async () => {
    await Promise.all(places.map((place) => place.remove()));
  });

  return {
    kind,
    place: async (content) => {
      const made = await placeMakers[kind](content);
      places.push(made);
      return made.options;
    },
    open: async () => {
      if (ofWorker === undefined)
        throw new Error('A database is opened in a hook or a test, not while tests are collected.');
      return ofWorker.lend(kind);
    },
  };
}
