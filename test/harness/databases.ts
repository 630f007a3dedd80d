import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../src/database/database.ts';
import { createDatabase, dropDatabase } from './create-database.ts';
import { serverPostgres } from './postgres.ts';
import { shared } from './shared-resources.ts';

export interface TestDatabases {
  readonly kind: Database['kind'];
  /** A migrated database of its own, closed and removed when the suite ends. */
  open(): Promise<Database>;
  /** Where a database stands that nobody has open; `empty`: without any migration. */
  place(content?: 'migrated' | 'empty'): Promise<OpenDatabaseOptions>;
}

/** Runs a suite on the embedded database and on server PostgreSQL. */
export function describeOnEachDatabase(name: string, suite: (databases: TestDatabases) => void): void {
  describe(`${name} (embedded)`, () => suite(testDatabases('embedded', embeddedPlace)));
  if (serverPostgres() !== 'missing') {
    describe(`${name} (server)`, () => suite(testDatabases('server', serverPlace)));
  } else if (process.env.CI === 'true') {
    test(`${name} (server) finds a PostgreSQL server`, () =>
      expect.fail('Install postgresql, or set TEST_DATABASE_URL.'));
  } else {
    describe.skip(`${name} (server)`, () => suite(testDatabases('server', serverPlace)));
  }
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

type PlaceMaker = (content: 'migrated' | 'empty') => Promise<Place>;

const embeddedPlace: PlaceMaker = temporaryDataDir;

const serverPlace: PlaceMaker = async (content) => {
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
};

function testDatabases(kind: Database['kind'], make: PlaceMaker): TestDatabases {
  const opened: Database[] = [];
  const places: Place[] = [];

  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await Promise.all(places.map((place) => place.remove()));
  });

  const place: TestDatabases['place'] = async (content = 'migrated') => {
    const made = await make(content);
    places.push(made);
    return made.options;
  };
  return {
    kind,
    place,
    open: async () => {
      const database = await openDatabase(await place());
      opened.push(database);
      return database;
    },
  };
}
