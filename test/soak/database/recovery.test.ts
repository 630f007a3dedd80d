import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isConnectionFailure } from '../../../src/database/connection-failure.ts';
import { openDatabase, type Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { describeOnEachDatabase, temporaryDataDir } from '../../harness/databases.ts';
import { postgresBinaries, startPostgres } from '../../harness/postgres.ts';

describeOnEachDatabase('a database', (databases) => {
  test('commits what succeeds and nothing of what fails', async () => {
    const database = await databases.open();
    const name = 'all or nothing';
    await expect(
      database.transaction(async (client) => {
        await client.query('insert into accounts (id, name) values (gen_random_uuid(), $1)', [name]);
        throw new Error('changed its mind');
      }),
    ).rejects.toThrow('changed its mind');
    expect(await database.em().count(Account, { name })).toBe(0);
    await database.transaction((client) =>
      client.query('insert into accounts (id, name) values (gen_random_uuid(), $1)', [name]),
    );
    expect(await database.em().count(Account, { name })).toBe(1);
  });

  test('serves on after a statement failed, inside a transaction and outside', async () => {
    const database = await databases.open();
    await expect(database.query('select * from nowhere')).rejects.toThrow('nowhere');
    await expect(database.transaction((client) => client.query('select 1/0'))).rejects.toThrow('division by zero');
    await expect(database.query('begin; select 1/0; commit')).rejects.toThrow('division by zero');
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('answers many callers at once', async () => {
    const database = await databases.open();
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) =>
        index % 2 === 0
          ? (await database.query<{ n: number }>('select $1::int as n', [index]))[0]?.n
          : database.transaction(async (client) => {
              await client.query('select 1');
              const { rows } = await client.query<{ n: number }>('select $1::int as n', [index]);
              return rows[0]?.n;
            }),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  test('migrated by several at once is migrated once', async () => {
    const place = await databases.place('empty');
    // The embedded database has one opener; there, callers of one process race.
    const first = await openDatabase(place);
    const openers = databases.kind === 'server' ? await Promise.all([place, place, place].map(openDatabase)) : [];
    const all = [first, ...openers];
    try {
      const racers = databases.kind === 'server' ? all : [first, first, first];
      const applied = await Promise.all(racers.map((database) => database.migrate()));
      expect(applied.filter((result) => result.applied.length > 0)).toHaveLength(1);
    } finally {
      await Promise.all(all.map((database) => database.close()));
    }
  });
});

test('an embedded engine that ended is started again', async () => {
  const { options, remove } = await temporaryDataDir();
  const database = await openDatabase(options);
  try {
    await database.query("insert into accounts (id, name) values (gen_random_uuid(), 'before')");
    // A message of no known type is FATAL to PostgreSQL.
    const socket = connect(join(options.dataDir, 'run', '.s.PGSQL.5432'));
    socket.write(Buffer.from([0xff, 0, 0, 0, 4]));
    expect((await buffer(socket)).toString('latin1')).toContain('FATAL');
    await expect.poll(() => database.ping().then(() => 'answered', String)).toBe('answered');
    expect(await database.em().count(Account, { name: 'before' })).toBe(1);
  } finally {
    await database.close();
    await remove();
  }
});

const withServer = postgresBinaries() === null ? test.skip : test;

withServer('a server that went away is used again as soon as it is back', async () => {
  const folder = await mkdtemp(`${tmpdir()}/sluice-recovery-`);
  const postgres = await startPostgres(folder);
  const database: Database = await openDatabase({ url: postgres.url, dataDir: folder });
  try {
    await Promise.all(Array.from({ length: 5 }, () => database.ping()));
    const cutOff = database.query('select pg_sleep(60)').catch((error: unknown) => error);
    await postgres.kill();
    expect(isConnectionFailure(await cutOff)).toBe(true);
    expect(isConnectionFailure(await database.ping().catch((error: unknown) => error))).toBe(true);
    const viaOrm = await database
      .em()
      .count(Account)
      .catch((error: unknown) => error);
    expect(isConnectionFailure(viaOrm)).toBe(true);
    await postgres.start();
    await database.ping();
    await database.migrate();
    expect(await database.em().count(Account)).toBe(0);
  } finally {
    await database.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
