import { beforeEach, describe, expect, it } from 'vitest';
import { ReadReplica, type ReadDatabase } from '../../../src/database/read-database.ts';

/** Answers with its name, or fails. */
class FakeDatabase implements ReadDatabase {
  error: Error | null = null;
  reads = 0;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async query<Row extends object>(): Promise<Row[]> {
    await this.read();
    return [{ from: this.#name } as Row];
  }

  async read<T>(): Promise<T> {
    this.reads++;
    if (this.error !== null) throw this.error;
    return this.#name as T;
  }
}

const failure = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('a read replica', () => {
  let primary: FakeDatabase;
  let replica: FakeDatabase;
  let reads: ReadReplica;
  let now: number;

  beforeEach(() => {
    [primary, replica, now] = [new FakeDatabase('primary'), new FakeDatabase('replica'), 0];
    reads = new ReadReplica({ primary, replica, monotonic: () => now, log: undefined });
  });

  const source = async (): Promise<unknown> => [await reads.query('select 1'), await reads.read(async () => null)];

  it('serves reads', async () => {
    expect(await source()).toEqual([[{ from: 'replica' }], 'replica']);
    expect(primary.reads).toBe(0);
  });

  it.each([
    ['cannot be reached', 'ECONNREFUSED'],
    ['shuts down', '57P01'],
    ['rejects the password', '28P01'],
    ['has not replayed a migration', '42703'],
  ])('that %s is replaced by the primary, and tried again after five seconds', async (_, code) => {
    replica.error = failure(code);
    expect(await source()).toEqual([[{ from: 'primary' }], 'primary']);
    expect(replica.reads).toBe(1);
    replica.error = null;
    now = 4_999;
    expect(await source()).toEqual([[{ from: 'primary' }], 'primary']);
    now = 5_000;
    expect(await source()).toEqual([[{ from: 'replica' }], 'replica']);
  });

  it('is replaced for one statement that conflicts with replication', async () => {
    replica.error = failure('40001');
    expect(await reads.query('select 1')).toEqual([{ from: 'primary' }]);
    replica.error = null;
    expect(await reads.query('select 1')).toEqual([{ from: 'replica' }]);
  });

  it('does not leave a slow or wrong statement to the primary', async () => {
    for (const code of ['57014', '22P02']) {
      replica.error = failure(code);
      await expect(reads.query('select 1')).rejects.toMatchObject({ code });
    }
    expect(primary.reads).toBe(0);
  });
});
