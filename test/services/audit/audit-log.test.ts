import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { auditRules, unaudited } from '../../../src/database/audit/audit-rules.ts';
import { runAs, userActor } from '../../../src/database/audit/audit-context.ts';
import { recordAudit } from '../../../src/database/audit/record.ts';
import type { Database } from '../../../src/database/database.ts';
import { AuditEntry, entities, User } from '../../../src/database/entities/index.ts';
import { AuditLog } from '../../../src/services/audit/audit-log.ts';
import { AuditRetention } from '../../../src/services/audit/audit-retention.ts';
import { sourceFiles } from '../../harness/source-imports.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { parseCsv } from '../../harness/parse-csv.ts';
import { origin, password, Team, type Person } from '../members/team.ts';

const sources = sourceFiles(fileURLToPath(new URL('../../../src', import.meta.url)));

describe('audited entities', () => {
  it('include every entity without a documented exception', () => {
    const audited = auditRules.map(({ entity }) => entity.name);
    expect([...audited, ...Object.keys(unaudited)].toSorted()).toEqual(entities.map(({ name }) => name).toSorted());
  });

  /** Statements that the unit of work does not see: each is recorded explicitly, or changes no setting. */
  const knownStatements = [
    'services/budgets/budgets.service.ts: insert into budgets',
    'services/budgets/budgets.service.ts: update budgets',
    // Erasure itself is recorded.
    'services/members/account-erasure.ts: delete from users',
    'services/members/account-erasure.ts: update accounts',
    // Notifies other processes of a changed time zone, which is recorded.
    'services/plans/plans.service.ts: update budgets',
    // Results of tests and deliveries.
    'services/connections/connections.service.ts: nativeUpdate(ProviderConnection',
    'services/webhooks/deliveries.ts: nativeUpdate(Webhook',
    'services/webhooks/deliveries.ts: update webhooks',
    // The progress and lease of comparisons.
    'services/comparisons/lane-rows.ts: nativeUpdate(Comparison',
    'services/comparisons/lane-rows.ts: update comparisons',
    // A secret that takes effect once confirmed, and the last accepted code.
    'services/identity/two-factor/second-factor.ts: nativeUpdate(User',
    // Sent expiry warnings, and notifications of other processes.
    'services/keys/expiry-warnings.ts: update api_keys',
    'services/keys/keys.service.ts: update api_keys',
    // The last use of a session.
    'services/sessions/sessions.service.ts: nativeUpdate(Session',
    // Notifies other processes, without a change.
    'services/plans/plans.service.ts: update api_keys',
    'services/accounts/spending-approvals.ts: update api_keys',
    'services/accounts/content-logging.service.ts: update api_keys',
    // The same session with another token.
    'services/sessions/session-exchange.ts: update sessions',
    // The last use of a key.
    'services/usage/settlement.ts: update api_keys',
    // Expired rows.
    'services/expiry/jobs.ts: nativeDelete(Invitation',
    'services/expiry/jobs.ts: nativeDelete(Session',
  ];

  it('are not changed by statements that record nothing', () => {
    const tables =
      'accounts|account_routes|api_keys|budgets|comparisons|invitations|linked_identities|memberships|provider_connections|sessions|users|webhooks';
    const names = auditRules.map(({ entity }) => entity.name).join('|');
    const statement = new RegExp(
      `\\b(?:insert into|update|delete from) "?(?:${tables})\\b|\\bnative(?:Insert|Update|Delete)\\(\\s*(?:${names})\\b|\\bupsert\\w*\\(\\s*(?:${names})\\b`,
      'g',
    );
    const found = sources.flatMap(({ path, text }) =>
      [...text.matchAll(statement)].map(([match]) => `${path}: ${match.replace(/\(\s+/, '(')}`),
    );
    expect([...new Set(found)].toSorted()).toEqual(knownStatements.toSorted());
  });
});

describeWithDatabase('the audit log', (databases) => {
  let database: Database;
  let team: Team;
  let owner: Person;
  let log: AuditLog;

  beforeEach(async () => {
    database = await databases.open();
    team = new Team(database);
    owner = await team.person();
    log = new AuditLog(database);
  });

  const told = async (accountId = owner.accountId, limit = 100): Promise<readonly AuditEntry[]> =>
    (await log.list(accountId, {}, { limit })).rows;

  it('lists each property of audited entities, so that a new one must be classified', () => {
    for (const { entity, properties } of auditRules) {
      const meta = database.orm.getMetadata().get(entity);
      expect([...properties].toSorted(), entity.name).toEqual(meta.props.map(({ name }) => name).toSorted());
    }
  });

  it('records a sign-up and its user', async () => {
    const rows = await told();
    expect(rows.map(({ action }) => action).toSorted()).toEqual([
      'account.created',
      'member.added',
      'user.signed_in',
      'user.signed_up',
    ]);
    for (const { actorKind, actorUserId, actorLabel } of await told(owner.accountId)) {
      expect([actorKind, actorUserId, actorLabel]).toEqual(['server', null, 'server']);
    }
    const other = await runAs(userActor(owner.userId, owner.email), origin, () => team.person());
    expect(await told(other.accountId)).toMatchObject(
      Array.from({ length: 4 }, () => ({
        actorKind: 'user',
        actorUserId: other.userId,
        actorLabel: other.email,
        ...origin,
      })),
    );
  });

  it('records previous and new values, and no secrets', async () => {
    const { accountId, userId } = owner;
    const expiresAt = new Date(Date.now() + 1e6);
    const made = await team.keysService.create(accountId, userId, { name: 'k', limits: { concurrency: 3 } });
    await team.keysService.update(accountId, made.key.id, { name: 'renamed', limits: { concurrency: 4 }, expiresAt });
    await team.keysService.update(accountId, made.key.id, { name: 'renamed' });
    await team.keysService.revoke(accountId, made.key.id);
    await team.keysService.revoke(accountId, made.key.id);
    const rows = (await log.list(accountId, { action: 'api_key.*' }, { limit: 10 })).rows;
    expect(rows.map(({ action }) => action)).toEqual(['api_key.revoked', 'api_key.updated', 'api_key.created']);
    expect(rows[1]).toMatchObject({ targetType: 'api_key', targetId: made.key.id, targetLabel: 'renamed' });
    expect(rows[1]?.changes.toSorted((a, b) => a.field.localeCompare(b.field))).toEqual([
      { field: 'expiresAt', before: null, after: expiresAt.toISOString() },
      { field: 'limits', before: { concurrency: 3 }, after: { concurrency: 4 } },
      { field: 'name', before: 'k', after: 'renamed' },
    ]);
    expect(rows[2]?.changes).toContainEqual({ field: 'scopes', before: null, after: ['inference'] });
    const text = JSON.stringify(await database.query('select row_to_json(t)::text from audit_entries as t'));
    for (const secret of [made.secret, made.key.secretHmac?.toString('hex') ?? '-', password, owner.token, 'argon2'])
      expect(text).not.toContain(secret);
    const em = database.em();
    const user = await em.findOneOrFail(User, { id: userId });
    user.passwordHash = 'another hash';
    await em.flush();
    expect((await told())[0]).toMatchObject({
      action: 'user.password_changed',
      changes: [{ field: 'password', before: null, after: null }],
    });
  });

  it('is stored with the change or not at all', async () => {
    const before = await told();
    const failing = team.keysService.create(owner.accountId, owner.userId, { name: 'k' }, () =>
      Promise.reject(new Error('no')),
    );
    await expect(failing).rejects.toThrow('no');
    expect(await told()).toEqual(before);
  });

  it('records failed sign-ins for the accounts of the user', async () => {
    const guess = (email: string) => team.accounts.signIn({ email, password: 'canary-guess' }, origin).catch(String);
    await guess(owner.email);
    await guess('canary-typed-as-address@example.com');
    expect((await told())[0]).toMatchObject({ action: 'user.sign_in_failed', targetId: owner.userId });
    const { token } = await team.accounts.signIn({ email: owner.email, password }, origin);
    await team.accounts.signOut(token);
    expect((await told()).slice(0, 2).map(({ action }) => action)).toEqual(['user.signed_out', 'user.signed_in']);
    const text = JSON.stringify(await database.query('select row_to_json(t)::text as line from audit_entries as t'));
    expect(text).not.toContain('canary');
    expect(await database.em().count(AuditEntry, { accountId: null, action: 'user.sign_in_failed' })).toBe(1);
  });

  it('cannot be changed, and is deleted only by retention', async () => {
    const em = database.em();
    await expect(em.nativeUpdate(AuditEntry, {}, { action: 'x' })).rejects.toThrow(/append-only/);
    await expect(em.nativeDelete(AuditEntry, {})).rejects.toThrow(/append-only/);
    await expect(database.query('truncate audit_entries')).rejects.toThrow(/append-only/);
    const later = new Date(Date.now() + 366 * 86_400_000);
    expect(await new AuditRetention(database, 0).removeOld(later)).toBe(0);
    expect(await new AuditRetention(database, 367).removeOld(later)).toBe(0);
    expect(await new AuditRetention(database, 365).removeOld(later)).toBe(4);
    expect(await told()).toEqual([]);
  });

  it('is paged without gaps and repetitions, also for entries of the same time', async () => {
    const em = database.em();
    const target = { type: 'account', id: owner.accountId, label: null };
    for (let made = 0; made < 250; made++)
      recordAudit(em, { accountId: owner.accountId, action: `made.n${made}`, target });
    recordAudit(em, { accountId: null, action: 'made.elsewhere', target });
    await em.flush();
    const seen: string[] = [];
    let from: AuditEntry | undefined;
    for (;;) {
      const page = await log.list(owner.accountId, { action: 'made.*' }, { limit: 99, from });
      seen.push(...page.rows.map(({ action }) => action));
      from = page.rows.at(-1);
      if (!page.hasMore) break;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => `made.n${249 - index}`));
  });

  it('is filtered by actor, target and time', async () => {
    const { accountId, userId, email } = owner;
    const { key } = await runAs(userActor(userId, email), {}, () =>
      team.keysService.create(accountId, userId, { name: 'k' }),
    );
    const byKey = { kind: 'api_key', userId, apiKeyId: key.id, label: 'k' } as const;
    await runAs(byKey, {}, () => team.keysService.update(accountId, key.id, { name: 'l' }));
    const actions = async (filter: object): Promise<string[]> =>
      (await log.list(accountId, filter, { limit: 10 })).rows.map(({ action }) => action);
    expect(await actions({ actorId: userId })).toEqual(['api_key.updated', 'api_key.created']);
    expect(await actions({ actorId: key.id })).toEqual(['api_key.updated']);
    expect(await actions({ targetId: key.id })).toEqual(['api_key.updated', 'api_key.created']);
    expect(await actions({ action: 'api_key.created' })).toEqual(['api_key.created']);
    expect(await actions({ action: 'api_key.create' })).toEqual([]);
    expect(await actions({ action: '%' })).toEqual([]);
    expect(await actions({ since: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await actions({ until: new Date(0) })).toEqual([]);
    expect(await actions({ since: new Date(-8.64e15), until: new Date(8.64e15) })).toHaveLength(6);
  });

  it('is paged by its index at any depth', async () => {
    const { accountId } = owner;
    const plan = await database.transaction(async (client) => {
      // A small table would be scanned sequentially otherwise.
      await client.query(
        "select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)",
      );
      const { rows } = await client.query<Record<string, string>>(
        `explain select * from audit_entries where account_id = '${accountId}'
         and created_at <= '2026-01-01' and (created_at < '2026-01-01' or id < '${accountId}')
         order by created_at desc, id desc limit 26`,
      );
      return rows.flatMap((row) => Object.values(row)).join('\n');
    });
    expect(plan).toMatch(/Index Scan Backward using audit_entries_by_account.*\n.*Index Cond: .*created_at <=/);
    expect(plan).not.toContain('Sort');
  });

  it('is exported as a file that spreadsheets do not execute, and records the export', async () => {
    await team.keysService.create(owner.accountId, owner.userId, { name: '=HYPERLINK("x")' });
    const read = async (format: 'csv' | 'jsonl'): Promise<string> => {
      let text = '';
      for await (const piece of log.file(format, owner.accountId, {})) text += piece.toString();
      return text;
    };
    const rows = parseCsv(await read('csv'));
    expect(rows.map(({ action }) => action)).toEqual(
      (await read('jsonl'))
        .trim()
        .split('\n')
        .map((line): string => JSON.parse(line).action)
        .slice(0, -1),
    );
    expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(['audit_log.exported', 'user.signed_up']));
    expect(rows.find(({ action }) => action === 'api_key.created')?.target).toBe(`'=HYPERLINK("x")`);
  });
});
