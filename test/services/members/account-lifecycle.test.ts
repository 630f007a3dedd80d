import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { entities, Membership, Webhook } from '../../../src/database/entities/index.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { ChatCompletionsService } from '../../../src/services/chat-completions/chat-completions.service.ts';
import { AccountErasure, ERASED_NAME, erasureRules } from '../../../src/services/members/account-erasure.ts';
import { AccountExport, exportedEntities, notExported } from '../../../src/services/members/account-export.ts';
import { watchAccounts } from '../../../src/services/members/watch-accounts.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { usageRecord } from '../../harness/usage-rows.ts';
import { Team, type Person } from './team.ts';

const DAY_MS = 86_400_000;

/** No content is stored encrypted here. */
async function* noLines(): AsyncGenerator<Buffer> {}

describe('every entity', () => {
  const names = entities.map(({ name }) => name).toSorted();

  it('has a rule for the erasure of its account', () => {
    expect(Object.keys(erasureRules).toSorted()).toEqual(names);
  });

  it('is exported with its account, or has a documented exception', () => {
    expect([...exportedEntities, ...Object.keys(notExported)].toSorted()).toEqual(names);
  });
});

describeWithDatabase('the life cycle of an account', (databases) => {
  let database: Database;
  let team: Team;
  let owner: Person;

  beforeEach(async () => {
    database = await databases.open();
    team = new Team(database);
    owner = await team.person();
  });

  it('limits the number of accounts per user, also for concurrent requests', async () => {
    const create = (): Promise<unknown> => team.lifecycle.create(owner.userId, { name: 'One more' });
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, create));
    const owned = await database.em().count(Membership, { user: owner.userId, role: 'owner' });
    expect(owned).toBe(20);
    const codes = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['too_many_accounts']));
  });

  it('includes a second account, which its creator owns', async () => {
    const made = await team.lifecycle.create(owner.userId, { name: ' Second ', timeZone: 'Asia/Tokyo' });
    expect(made).toMatchObject({ name: 'Second', timeZone: 'Asia/Tokyo', plan: 'free' });
    expect((await team.identity(owner.token)).memberships).toMatchObject([{}, { accountId: made.id, role: 'owner' }]);
    await team.keys.dashboardKey(made.id, owner.userId);
    const bad = { name: 'x', timeZone: 'Mars/Olympus' };
    await expect(team.lifecycle.create(owner.userId, bad)).rejects.toMatchObject({ code: 'bad_user_input' });
    const closed = new Team(database, 'invite');
    const member = await team.member(owner, 'admin');
    await expect(closed.lifecycle.create(member.userId, { name: 'x' })).rejects.toMatchObject({
      code: 'sign_up_closed',
    });
    await closed.lifecycle.create(owner.userId, { name: 'x' });
  });

  it('disables its keys immediately in each process, and enables them again', async () => {
    const { secret } = await team.keysService.create(owner.accountId, owner.userId, { name: 'k' });
    const other = new Team(database);
    await Promise.all([team.keys.find(secret), other.keys.find(secret)]);
    const ended: string[] = [];
    team.keys.onRevoked((keyId) => ended.push(keyId));
    await expect(team.lifecycle.delete(owner.accountId, 'Another')).rejects.toMatchObject({ param: 'confirmName' });
    const changes = new Arrivals<readonly unknown[]>();
    const stop = watchAccounts(database.changes, {
      memberChanged: () => undefined,
      accountChanged: (...change) => {
        other.keys.evictAccount(change[0]);
        changes.push(change);
      },
    });
    const { erasedAfter } = await team.lifecycle.delete(owner.accountId, "P's account");
    expect(erasedAfter?.getTime()).toBe(team.clock.now() + 30 * DAY_MS);
    expect(ended).toHaveLength(2);
    expect(team.mails.at(-1)).toMatchObject({ to: owner.email, subject: "The account “P's account” was deleted" });
    const refused = { code: 'account_deleted', status: 403 };
    await expect(Promise.resolve().then(() => team.keys.find(secret))).rejects.toMatchObject(refused);
    await expect(Promise.resolve().then(() => team.keys.find(secret))).rejects.toMatchObject(refused);
    await expect(team.keys.dashboardKey(owner.accountId)).rejects.toMatchObject(refused);
    await database.changes.poll();
    await changes.whenIncludes([owner.accountId, true]);
    await expect(Promise.resolve().then(() => other.keys.find(secret))).rejects.toMatchObject(refused);
    await team.lifecycle.restore(owner.accountId);
    expect(await team.keys.find(secret)).toMatchObject({ name: 'k' });
    await database.changes.poll();
    await changes.whenIncludes([owner.accountId, false]);
    stop();
    expect(await other.keys.find(secret)).toMatchObject({ name: 'k' });
    const deletions = 'select restored_at from account_deletions where account_id = $1';
    expect(await database.query(deletions, [owner.accountId])).toMatchObject([{ restored_at: expect.anything() }]);
  });

  it('ends with its erasure after the grace period, except for financial records without names', async () => {
    const guest = await team.person();
    const member = await team.member(owner, 'developer');
    const { key } = await team.keysService.create(owner.accountId, owner.userId, { name: 'secret project' });
    const begun = Date.now() - DAY_MS;
    const store = new UsageStore(database, (_row, error) => {
      throw error;
    });
    const record = { account_id: owner.accountId, api_key_id: key.id, member_id: owner.userId };
    const values = { began_at: new Date(begun).toISOString(), tags: { who: 'somebody' }, cost_nano: '1000000000' };
    await store.store(Buffer.from(JSON.stringify([usageRecord({ ...record, ...values })])));
    const completions = new ChatCompletionsService({ database, log: { warn: () => undefined } });
    completions.storeSoon({
      id: newEventIds(begun).eventId,
      key: { id: key.id, accountId: owner.accountId, memberId: null },
      model: 'sandbox/chat',
      metadata: {},
      messages: [{ role: 'user', content: 'a stored prompt' }],
      completion: { id: 'chatcmpl-1', choices: [] },
      costNano: null,
    });
    await completions.close();
    team.clock.setNow(Date.now());
    await team.lifecycle.delete(owner.accountId, "P's account");
    const erasure = new AccountErasure(database, async () => undefined);
    expect(await erasure.eraseDue(new Date(team.clock.now() + 29 * DAY_MS))).toEqual([]);
    const due = new Date(team.clock.now() + 30 * DAY_MS);
    team.clock.setNow(due.getTime());
    await expect(team.lifecycle.restore(owner.accountId)).rejects.toMatchObject({ code: 'account_deleted' });
    // Its usage is billed first.
    expect(await erasure.eraseDue(due)).toEqual([]);
    const plans = readPlans({ plans: { free: { allowance: '0', monthly_fee: '5' } }, default_plan: 'free' });
    const closing = new InvoiceClosing({
      database,
      ledger: new Ledger(database),
      plans: () => plans,
      applyDue: async () => undefined,
      clock: new FakeClock(due.getTime() + 3_600_000),
    });
    await closing.closeDue();
    const billed =
      "select kind from invoices join invoice_lines on invoice_id = id where account_id = $1 and kind like '%usage'";
    expect(await database.query(billed, [owner.accountId])).toHaveLength(1);
    expect(await erasure.eraseDue(due)).toEqual([]);
    await database.query('update invoices set mailed_at = now()');
    const both = await Promise.all([
      erasure.eraseDue(due),
      new AccountErasure(database, async () => undefined).eraseDue(due),
    ]);
    expect(both.flat()).toEqual([owner.accountId]);
    const left: string[] = [];
    for (const { tableName } of database.orm.getMetadata().getAll().values()) {
      const rows = await database.query<{ line: string }>(`select row_to_json(t)::text as line from ${tableName} as t`);
      left.push(...rows.map(({ line }) => `${tableName} ${line}`));
    }
    const text = left.join('\n');
    for (const gone of [owner.email, owner.userId, member.email, 'secret project', 'somebody', 'a stored prompt'])
      expect(text.split('\n').filter((line) => line.includes(gone) && !line.startsWith('usage_rollups'))).toEqual([]);
    expect(text).toContain(guest.email);
    expect(text).toContain(ERASED_NAME);
    expect((await verifyLedger(database)).faults).toEqual([]);
    expect(await team.sessions.authenticate(owner.token)).toBeNull();
    await expect(team.lifecycle.restore(owner.accountId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('allows a complete export without secrets', async () => {
    const { secret, key } = await team.keysService.create(owner.accountId, owner.userId, { name: 'k' });
    await team.member(owner, 'viewer');
    const other = await team.person();
    const em = database.em();
    const hidden = Buffer.from('sealed-canary');
    const url = 'https://example.com/hook';
    const webhook = { account: owner.accountId, url, events: [], secretHint: '…', sealedSecret: hidden };
    await em.persist(em.create(Webhook, { ...webhook, createdAt: new Date() })).flush();
    const pieces: Buffer[] = [];
    for await (const piece of new AccountExport(database, noLines).file(owner.accountId)) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const lines = text
      .trim()
      .split('\n')
      .map((line): { type: string } => JSON.parse(line));
    expect([...new Set(lines.map(({ type }) => type))]).toEqual([
      'account',
      'member',
      'user',
      'invitation',
      'api_key',
      'webhook',
      'audit_entry',
    ]);
    expect(text).toContain(key.id);
    expect(text).not.toContain(other.accountId);
    for (const never of [secret, hidden.toString('hex'), 'secret_hmac', 'token_hash', 'password', 'sealed'])
      expect(text).not.toContain(never);
  });

  it('exports pages without losing rows', async () => {
    const { key } = await team.keysService.create(owner.accountId, null, { name: 'key 0' });
    await database.query(
      `insert into api_keys select (jsonb_populate_record(
         k, jsonb_build_object('id', gen_random_uuid(), 'name', 'key ' || n, 'secret_hmac', '\\x' || md5(n::text))
       )).* from api_keys as k, generate_series(1, 2344) as n where k.id = $1`,
      [key.id],
    );
    await database.query(
      `insert into audit_entries select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
       from audit_entries as e, generate_series(1, 2344) where e.target_id = $1`,
      [key.id],
    );
    let text = '';
    for await (const piece of new AccountExport(database, noLines).file(owner.accountId)) text += piece.toString();
    const names = new Set([...text.matchAll(/"type":"api_key".*?"name":"(key \d+)"/g)].map(([, name]) => name));
    expect(names.size).toBe(2_345);
    expect(text.match(/"action":"api_key.created"/g)).toHaveLength(2_345);
  });
});
