import { expect, it } from 'vitest';
import { mapDatabaseErrors } from '../../../src/services/database-availability.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';

const failing = [
  ['while it is parsed', 'selec $1::int', [1]],
  ['when its parameters are read', 'select $1::int', ['x']],
  ['while it runs', 'select 1 / $1::int', [0]],
] as const;

describeOnEachDatabase('a statement that fails', (databases) => {
  it.each(failing)('%s leaves the responses of later statements in order', async (_when, sql, values) => {
    const database = await databases.open();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const results = await database.transaction(async (client) => {
      await client.query('savepoint before');
      // The connection has them all at hand when the first one fails.
      const sent = numbers.flatMap((number) => [
        client.query(sql, [...values]),
        client.query('rollback to savepoint before'),
        client.query('select $1::int as number', [number]),
      ]);
      return Promise.allSettled(sent);
    });
    expect(results.map(({ status }) => status)).toEqual(numbers.flatMap(() => ['rejected', 'fulfilled', 'fulfilled']));
    expect(results.flatMap((each) => (each.status === 'fulfilled' ? each.value.rows : []))).toEqual(
      numbers.map((number) => ({ number })),
    );
  });

  // The embedded engine does not interrupt a statement.
  if (databases.kind === 'server')
    it('is named a timeout to clients where it takes too long', async () => {
      const database = await databases.open();
      const work = (): Promise<unknown> =>
        database.transaction(async (client) => {
          await client.query("select set_config('statement_timeout', '20', true)");
          await client.query('select pg_sleep(60)');
        });
      await expect(mapDatabaseErrors(work)).rejects.toMatchObject({ code: 'query_timeout', status: 503 });
      await expect(work()).rejects.toThrow('statement timeout');
    });

  it('leaves its connection to later transactions', async () => {
    const database = await databases.open();
    for (const number of [1, 2, 3]) {
      await expect(database.transaction((client) => client.query('select 1 / $1::int as number', [0]))).rejects.toThrow(
        'division by zero',
      );
      const { rows } = await database.transaction((client) => client.query('select $1::int as number', [number]));
      expect(rows).toEqual([{ number }]);
    }
  });
});
