import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Account, type AccountRoute, ProviderConnection } from '../../../../src/database/entities/index.ts';
import { AccountConnections } from '../../../../src/services/connections/account-connections.ts';
import type { ConnectionChange } from '../../../../src/services/connections/connection-reader.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

class Opened {
  closed = false;
  readonly row: ProviderConnection;

  constructor(row: ProviderConnection) {
    this.row = row;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** The stored rows, and the queries for them. */
class Rows {
  readonly byAccount = new Map<string, ProviderConnection[]>();
  readonly revisions = new Map<string, number>();
  reads = 0;
  away = false;
  /** Blocks reads until it is called. */
  release: (() => void) | null = null;
  #gate: Promise<void> | null = null;

  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.release = () => {
        this.#gate = null;
        resolve();
      };
    });
  }

  set(accountId: string, rows: ProviderConnection[]): void {
    this.byAccount.set(accountId, rows);
    this.revisions.set(accountId, (this.revisions.get(accountId) ?? 0) + 1);
  }

  async of(accountId: string): Promise<ProviderConnection[]> {
    this.reads++;
    const rows = this.byAccount.get(accountId) ?? [];
    if (this.#gate) await this.#gate;
    if (this.away) throw new Error('away');
    return rows;
  }

  async routesOf(): Promise<AccountRoute[]> {
    return [];
  }

  async changes(): Promise<ConnectionChange[]> {
    if (this.away) throw new Error('away');
    return [...this.revisions].map(([accountId, revision]) => ({ accountId, revision }));
  }
}

function row(members: Partial<ProviderConnection> = {}): ProviderConnection {
  return Object.assign(new ProviderConnection(), {
    account: new Account(),
    provider: 'openai',
    name: 'OpenAI',
    sealedCredentials: Buffer.from('one'),
    ...members,
  });
}

describe('connections of accounts', () => {
  const accountId = randomUUID();
  let clock: FakeClock;
  let rows: Rows;
  let opened: Opened[];
  let faults: unknown[];
  let connections: AccountConnections<Opened>;
  let requestsEnd: Promise<void>;

  beforeEach(() => {
    clock = new FakeClock();
    requestsEnd = Promise.resolve();
    rows = new Rows();
    opened = [];
    faults = [];
    connections = new AccountConnections({
      reader: rows,
      open: (each) => {
        const made = new Opened(each);
        opened.push(made);
        return made;
      },
      onFault: (error) => faults.push(error),
      whenRequestsEnd: () => requestsEnd,
      clock,
    });
  });

  afterEach(async () => {
    await connections.close();
  });

  it('are empty without a query for an account that has none', async () => {
    await connections.start(false);
    expect(connections.forAccount(randomUUID())).toEqual([]);
    expect(connections.of(randomUUID())).toBeUndefined();
    expect(connections.ready(randomUUID())).toBeUndefined();
    expect(rows.reads).toBe(0);
  });

  it('are read once for concurrent requests, then returned synchronously', async () => {
    rows.set(accountId, [row()]);
    await connections.start(false);
    expect(connections.of(accountId)).toBeUndefined();
    const asked = await Promise.all(Array.from({ length: 20 }, () => connections.forAccount(accountId)));
    expect(rows.reads).toBe(1);
    expect(opened).toHaveLength(1);
    expect(new Set(asked).size).toBe(1);
    expect(connections.forAccount(accountId)).toBe(asked[0]);
    expect(connections.of(accountId)).toBe(asked[0]);
    expect(rows.reads).toBe(1);
  });

  it('report a database outage at the first use, and are read again', async () => {
    rows.set(accountId, [row()]);
    await connections.start(false);
    rows.away = true;
    await expect(connections.forAccount(accountId)).rejects.toThrow('away');
    rows.away = false;
    expect(await connections.forAccount(accountId)).toHaveLength(1);
  });

  it('remain in use while the database is unavailable', async () => {
    rows.set(accountId, [row()]);
    await connections.start(true);
    const before = await connections.forAccount(accountId);
    rows.away = true;
    await clock.advanceAsync(60_000);
    expect(connections.of(accountId)).toBe(before);
    connections.closeIdle();
    connections.closeIdle();
    // Closed as idle, they are reopened from memory.
    expect(connections.of(accountId)).toHaveLength(1);
    expect(opened).toHaveLength(2);
  });

  it('are the new ones after a change by this process', async () => {
    const [kept, changing] = [row(), row({ provider: 'mine' })];
    const ended = Promise.withResolvers<void>();
    requestsEnd = ended.promise;
    rows.set(accountId, [kept, changing]);
    await connections.start(false);
    const [openai, mine] = await connections.forAccount(accountId);
    rows.set(accountId, [kept, Object.assign(row(), changing, { sealedCredentials: Buffer.from('two') })]);
    await connections.changed(accountId);
    const after = connections.of(accountId) ?? [];
    expect(after[0]).toBe(openai);
    expect(after[1]).not.toBe(mine);
    // A request that selected the old one still finds it open, however long it takes.
    expect(mine?.closed).toBe(false);
    await clock.advanceAsync(5 * 60_000);
    expect(mine?.closed).toBe(false);
    ended.resolve();
    await clock.advanceAsync(0);
    expect([openai?.closed, mine?.closed]).toEqual([false, true]);
  });

  it('are the same array if only a name changed', async () => {
    const one = row();
    rows.set(accountId, [one]);
    await connections.start(false);
    const before = await connections.forAccount(accountId);
    rows.set(accountId, [Object.assign(row(), one, { name: 'Another', testedAt: new Date() })]);
    await connections.changed(accountId);
    expect(connections.of(accountId)).toBe(before);
  });

  it('appear with the first one, and disappear with the last', async () => {
    await connections.start(false);
    expect(connections.forAccount(accountId)).toEqual([]);
    rows.set(accountId, [row()]);
    await connections.changed(accountId);
    expect(await connections.forAccount(accountId)).toHaveLength(1);
    rows.set(accountId, []);
    await connections.changed(accountId);
    expect(connections.of(accountId)).toBeUndefined();
    expect(connections.forAccount(accountId)).toEqual([]);
    await clock.advanceAsync(6_000);
    expect(opened.map(({ closed }) => closed)).toEqual([true]);
  });

  it('are read again if they changed during the read', async () => {
    rows.set(accountId, [row()]);
    await connections.start(false);
    rows.hold();
    const asked = connections.forAccount(accountId);
    rows.set(accountId, []);
    const told = connections.changed(accountId);
    rows.release?.();
    await told;
    expect(await asked).toEqual([]);
    expect(rows.reads).toBe(2);
  });

  it('are not used after a change that could not be read', async () => {
    rows.set(accountId, [row()]);
    await connections.start(false);
    await connections.forAccount(accountId);
    rows.away = true;
    await connections.changed(accountId);
    expect(connections.of(accountId)).toBeUndefined();
    await expect(connections.forAccount(accountId)).rejects.toThrow('away');
  });

  it('follow changes by other processes, also after a database outage', async () => {
    rows.set(accountId, [row()]);
    await connections.start(true);
    await connections.forAccount(accountId);
    const stranger = randomUUID();
    rows.set(accountId, []);
    rows.set(stranger, [row()]);
    await clock.advanceAsync(1_100);
    expect(connections.of(accountId)).toBeUndefined();
    expect(await connections.forAccount(stranger)).toHaveLength(1);
    rows.away = true;
    rows.set(stranger, []);
    await clock.advanceAsync(30_000);
    expect(connections.of(stranger)).toHaveLength(1);
    expect(faults).toHaveLength(30);
    rows.away = false;
    await clock.advanceAsync(1_100);
    expect(connections.of(stranger)).toBeUndefined();
    const { reads } = rows;
    await clock.advanceAsync(10_000);
    expect(rows.reads).toBe(reads);
  });

  it('are closed when idle, and at shutdown', async () => {
    const other = randomUUID();
    rows.set(accountId, [row()]);
    rows.set(other, [row()]);
    await connections.start(false);
    await connections.forAccount(accountId);
    await connections.forAccount(other);
    await clock.advanceAsync(11 * 60_000);
    connections.of(accountId);
    await clock.advanceAsync(10 * 60_000);
    expect(opened.map(({ closed }) => closed)).toEqual([false, true]);
    await connections.close();
    expect(opened.map(({ closed }) => closed)).toEqual([true, true]);
  });
});
