import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Account, AccountRoute } from '../../../../src/database/entities/index.ts';
import { AccountConnections } from '../../../../src/services/connections/account-connections.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

function row(name: string, retries = 0): AccountRoute {
  const settings = { targets: [{ model: 'sandbox/chat', weight: 1 }], retries };
  return Object.assign(new AccountRoute(), { account: new Account(), name, settings });
}

describe('routes of an account without connections', () => {
  const accountId = randomUUID();
  let rows: AccountRoute[];
  let revision: number;
  let clock: FakeClock;
  let reads: number;
  let away: boolean;
  let accounts: AccountConnections<never>;

  async function answer<T>(value: T): Promise<T> {
    if (away) throw new Error('away');
    return value;
  }

  function change(...changed: AccountRoute[]): void {
    rows = changed;
    revision++;
  }

  beforeEach(() => {
    clock = new FakeClock();
    [rows, revision, reads, away] = [[row('one')], 1, 0, false];
    accounts = new AccountConnections<never>({
      reader: {
        of: () => answer([]),
        routesOf: () => {
          reads++;
          return answer(rows);
        },
        changes: () => answer([{ accountId, revision }]),
      },
      open: () => expect.fail(),
      onFault: () => undefined,
      whenRequestsEnd: () => Promise.resolve(),
      clock,
    });
  });

  afterEach(async () => {
    await accounts.close();
  });

  const names = () => [...(accounts.routesOf(accountId)?.keys() ?? [])];

  it('are loaded once for concurrent requests', async () => {
    await accounts.start(false);
    expect(accounts.routesOf(accountId)).toBeUndefined();
    await Promise.all([accounts.ready(accountId), accounts.ready(accountId)]);
    expect(names()).toEqual(['one']);
    expect(accounts.of(accountId)).toBeUndefined();
    expect(accounts.ready(accountId)).toBeUndefined();
    expect(reads).toBe(1);
    expect(accounts.ready(randomUUID())).toBeUndefined();
    expect(accounts.routesOf(randomUUID())).toBeUndefined();
  });

  it('are replaced after a change, and the same objects after an unrelated one', async () => {
    await accounts.start(false);
    await accounts.ready(accountId);
    const before = accounts.routesOf(accountId);
    change(row('one'));
    await accounts.changed(accountId);
    expect(accounts.routesOf(accountId)).toBe(before);
    change(row('one', 5), row('two'));
    await accounts.changed(accountId);
    expect(names()).toEqual(['one', 'two']);
    expect(accounts.routesOf(accountId)?.get('one')).toMatchObject({ retries: 5 });
    change();
    await accounts.changed(accountId);
    expect(accounts.routesOf(accountId)).toBeUndefined();
  });

  it('remain during a database outage, and follow other processes afterwards', async () => {
    await accounts.start(true);
    await accounts.ready(accountId);
    const before = accounts.routesOf(accountId);
    away = true;
    change(row('two'));
    // Long enough for idle connections to be closed.
    await clock.advanceAsync(30 * 60_000);
    expect(accounts.ready(accountId)).toBeUndefined();
    expect(accounts.routesOf(accountId)).toBe(before);
    away = false;
    await clock.advanceAsync(1_100);
    expect(names()).toEqual(['two']);
  });
});
