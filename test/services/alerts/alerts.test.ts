import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { wireAlerts, type WiredAlerts } from '../../../src/composition/services/alerts.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, AlertEvent, ApiKey, AuditEntry } from '../../../src/database/entities/index.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import type { AlertRuleInput } from '../../../src/services/alerts/rule-input.ts';
import { accountWithOwner, HOUR_START, storeUsage } from '../../harness/alert-usage.ts';
import { startAlertReceiver, type AlertReceiver } from '../../harness/alert-receiver.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const MINUTE_MS = 60_000;
const ROUTING_KEY = 'R'.repeat(32);
const MODEL = 'sandbox/chat';

describeWithDatabase('alerts', (databases) => {
  let database: Database;
  let jobs: JobQueue;
  let alerts: WiredAlerts;
  let clock: FakeClock;
  let receiver: AlertReceiver;
  let mails: Arrivals<Mail>;
  let warned: unknown[];
  let accountId: string;
  let email: string;

  beforeEach(async () => {
    database = await databases.open();
    clock = new FakeClock(HOUR_START);
    receiver = await startAlertReceiver();
    mails = new Arrivals();
    warned = [];
    ({ accountId, email } = await accountWithOwner(database));
    jobs = new JobQueue(database, { pollSeconds: 0.2 });
    alerts = wireAlerts({
      database,
      jobs,
      budgets: { list: async () => [] },
      masterKeys: MasterKeys.of('a'.repeat(32)),
      guard: new OutboundGuard([receiver.host]),
      mailer: { send: async (mail) => void mails.push(mail) },
      publicUrl: () => 'https://ai.example.com',
      log: { warn: (...line: unknown[]) => void warned.push(line) },
      clock,
      pagerDuty: { us: `http://${receiver.host}/pagerduty`, eu: `http://${receiver.host}/pagerduty-eu` },
    });
    await jobs.start();
  });

  afterEach(async () => {
    await jobs.stop();
    await alerts.close();
    await receiver.close();
    expect(warned).toEqual([]);
  });

  const url = (path: string): string => `http://${receiver.host}/${path}`;

  async function channel(kind: 'webhook' | 'slack' | 'teams', path: string = kind): Promise<string> {
    return (await alerts.channels.create(accountId, { name: path, kind, url: url(path) })).channel.id;
  }

  function spendRule(channelIds: string[], more: Partial<AlertRuleInput> = {}): AlertRuleInput {
    return {
      name: 'Too much',
      kind: 'spend',
      threshold: 10,
      resolveThreshold: 8,
      windowMinutes: 15,
      channelIds,
      ...more,
    };
  }

  const spend = (minute: number, usd: number): Promise<void> =>
    storeUsage(database, accountId, minute, { model: MODEL, cost_nano: String(usd * 1e9) });

  /** Evaluates at that minute of the hour. */
  async function evaluateAt(minute: number): Promise<void> {
    clock.advance(HOUR_START + minute * MINUTE_MS - clock.now());
    await alerts.evaluator.evaluateAll();
  }

  const events = async (): Promise<[string, number | null][]> =>
    (await database.em().find(AlertEvent, { account: accountId }, { orderBy: { createdAt: 'asc' } })).map(
      ({ transition, value }) => [transition, value],
    );

  it('fire at the threshold and resolve at the lower one, in the format of each channel', async () => {
    const { secret, channel: webhook } = await alerts.channels.create(accountId, {
      name: 'hook',
      kind: 'webhook',
      url: url('webhook'),
    });
    const pagerDuty = await alerts.channels.create(accountId, {
      name: 'pager',
      kind: 'pagerduty',
      routingKey: ROUTING_KEY,
    });
    const mail = await alerts.channels.create(accountId, { name: 'mail', kind: 'email', emails: [email] });
    const channelIds = [
      webhook.id,
      pagerDuty.channel.id,
      mail.channel.id,
      await channel('slack'),
      await channel('teams'),
    ];
    const rule = await alerts.rules.create(accountId, spendRule(channelIds));
    await spend(1, 9);
    await evaluateAt(2);
    expect(await events()).toEqual([]);
    await spend(3, 3);
    await evaluateAt(4);
    await evaluateAt(5);
    await receiver.received.whenLength(4);
    await mails.whenLength(1);
    const summary = 'Spend in the last 15 minutes is 12 USD. The threshold is 10 USD.';
    const usage = 'https://ai.example.com/billing/usage';
    const [signed] = receiver.at('/webhook');
    expect(signed?.body).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      object: 'event',
      type: 'alert.fired',
      created_at: (HOUR_START + 4 * MINUTE_MS) / 1_000,
      data: { rule_name: 'Too much', kind: 'spend', value: 12, threshold: 10, unit: 'USD', summary, url: usage },
    });
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = signed?.headers ?? {};
    const key = Buffer.from(String(secret).slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${signed?.text}`).digest('base64');
    expect([id, signature]).toEqual([signed?.body.id, `v1,${mac}`]);
    expect(receiver.at('/slack').map(({ body }) => body)).toEqual([
      {
        text: `Alert: Too much – ${summary}`,
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: 'Alert: Too much', emoji: false } },
          { type: 'section', text: { type: 'plain_text', text: summary, emoji: false } },
          {
            type: 'section',
            fields: ['Account: Acme', 'Value: 12 USD', 'Threshold: 10 USD', 'Time: 2026-11-25T12:04:00.000Z'].map(
              (text) => ({ type: 'plain_text', text, emoji: false }),
            ),
          },
          {
            type: 'actions',
            elements: [
              { type: 'button', text: { type: 'plain_text', text: 'Open dashboard', emoji: false }, url: usage },
            ],
          },
        ],
      },
    ]);
    const [card] = receiver.at('/teams');
    expect(card?.body).toMatchObject({
      type: 'message',
      attachments: [
        { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', version: '1.4' } },
      ],
    });
    const [trigger] = receiver.at('/pagerduty');
    expect(trigger?.body).toMatchObject({
      routing_key: ROUTING_KEY,
      event_action: 'trigger',
      payload: { summary: `Alert: Too much – ${summary}`, source: 'ai.example.com', severity: 'warning' },
    });
    expect(mails[0]).toMatchObject({ to: email, subject: 'Alert: “Too much” in “Acme”' });
    expect(mails[0]?.text).toContain(`${summary}\n`);
    expect(mails[0]?.text).toContain(`\n${usage}\n`);
    // 12 USD are still within the window, then none.
    await evaluateAt(29);
    expect(await events()).toEqual([['fired', 12]]);
    await evaluateAt(30);
    await evaluateAt(31);
    await receiver.received.whenLength(8);
    await mails.whenLength(2);
    expect(await events()).toEqual([
      ['fired', 12],
      ['resolved', 0],
    ]);
    expect(receiver.at('/pagerduty')[1]?.body).toEqual({
      routing_key: ROUTING_KEY,
      event_action: 'resolve',
      dedup_key: trigger?.body.dedup_key,
    });
    expect(receiver.at('/webhook')[1]?.body).toMatchObject({ type: 'alert.resolved' });
    const [state] = await alerts.rules.states(accountId);
    expect(state).toMatchObject({ isFiring: false, value: 0, rule: { id: rule.id } });
  });

  it('fire once and resolve once when evaluated concurrently', async () => {
    await alerts.rules.create(accountId, spendRule([await channel('webhook')]));
    await spend(1, 12);
    clock.advance(2 * MINUTE_MS);
    await Promise.all(Array.from({ length: 8 }, () => alerts.evaluator.evaluateAll()));
    await receiver.received.whenLength(1);
    clock.advance(40 * MINUTE_MS);
    await Promise.all(Array.from({ length: 8 }, () => alerts.evaluator.evaluateAll()));
    await receiver.received.whenLength(2);
    expect((await events()).map(([transition]) => transition)).toEqual(['fired', 'resolved']);
  });

  it('ignore an evaluation that is older than the last one', async () => {
    await alerts.rules.create(accountId, spendRule([]));
    await evaluateAt(5);
    await spend(1, 12);
    clock.advance(0);
    // The same time again: another instance evaluated it.
    await alerts.evaluator.evaluateAll();
    expect(await events()).toEqual([]);
    await evaluateAt(6);
    expect(await events()).toEqual([['fired', 12]]);
  });

  it('are sent after the mute has ended, if they still fire', async () => {
    const rule = await alerts.rules.create(accountId, spendRule([await channel('webhook')]));
    await alerts.rules.mute(accountId, rule.id, new Date(HOUR_START + 10 * MINUTE_MS));
    await spend(1, 12);
    await evaluateAt(2);
    const [muted] = await database.em().find(AlertEvent, { account: accountId });
    expect(await alerts.history.deliveries(accountId, [muted?.id ?? ''])).toEqual([]);
    await evaluateAt(10);
    await evaluateAt(11);
    await receiver.received.whenLength(1);
    expect(receiver.at('/webhook').map(({ body }) => body.type)).toEqual(['alert.fired']);
  });

  it('that fired and resolved while muted are only in the history', async () => {
    const rule = await alerts.rules.create(accountId, spendRule([await channel('webhook')]));
    await alerts.rules.mute(accountId, rule.id, new Date(HOUR_START + 50 * MINUTE_MS));
    await spend(1, 12);
    await evaluateAt(2);
    await evaluateAt(40);
    await evaluateAt(51);
    expect((await events()).map(([transition]) => transition)).toEqual(['fired', 'resolved']);
    expect(await database.query('select from alert_deliveries')).toEqual([]);
  });

  it('resolve when the rule is deleted or disabled', async () => {
    const channelIds = [await channel('webhook')];
    const deleted = await alerts.rules.create(accountId, spendRule(channelIds));
    const disabled = await alerts.rules.create(accountId, spendRule(channelIds));
    await spend(1, 12);
    await evaluateAt(2);
    await receiver.received.whenLength(2);
    await alerts.rules.remove(accountId, deleted.id);
    await receiver.received.whenLength(3);
    await alerts.rules.update(accountId, disabled.id, spendRule(channelIds, { enabled: false }));
    await evaluateAt(3);
    await evaluateAt(4);
    await receiver.received.whenLength(4);
    expect(receiver.at('/webhook').map(({ body }) => body.type)).toEqual([
      'alert.fired',
      'alert.fired',
      'alert.resolved',
      'alert.resolved',
    ]);
    expect((await events()).map(([transition]) => transition).toSorted()).toEqual([
      'fired',
      'fired',
      'resolved',
      'resolved',
    ]);
  });

  it('are retried, in order, and the failure is in the history', async () => {
    receiver.statuses.push(500);
    await alerts.rules.create(accountId, spendRule([await channel('webhook')]));
    await spend(1, 12);
    await evaluateAt(2);
    await receiver.received.whenLength(1);
    const deliveries = async () =>
      alerts.history.deliveries(
        accountId,
        (await database.em().find(AlertEvent, { account: accountId })).map(({ id }) => id),
      );
    await expect.poll(async () => (await deliveries())[0]?.lastFailure).toBe('it returned status 500');
    // Resolved before the notification of the incident is delivered.
    clock.advance(38 * MINUTE_MS);
    await database.query('update alert_deliveries set retry_at = $1 where retry_at > $1', [
      new Date(clock.now() + MINUTE_MS),
    ]);
    await evaluateAt(40);
    await evaluateAt(42);
    await alerts.deliveries.sendDue();
    await receiver.received.whenLength(3);
    expect(receiver.at('/webhook').map(({ body }) => body.type)).toEqual([
      'alert.fired',
      'alert.fired',
      'alert.resolved',
    ]);
    expect(receiver.received[1]?.text).toBe(receiver.received[0]?.text);
    await expect
      .poll(async () => (await deliveries()).map(({ attempts, deliveredAt }) => [attempts, deliveredAt !== null]))
      .toEqual(
        expect.arrayContaining([
          [2, true],
          [1, true],
        ]),
      );
  });

  it('store no secret in the clear, and show only the host and the last characters', async () => {
    const { channel: slack } = await alerts.channels.create(accountId, {
      name: 'ops',
      kind: 'slack',
      url: url('services/T0/B0/secret-token-1234'),
    });
    expect(slack.hint).toBe(`${receiver.host}/…1234`);
    const pager = await alerts.channels.create(accountId, { name: 'p', kind: 'pagerduty', routingKey: ROUTING_KEY });
    expect(pager.channel.hint).toBe(`${receiver.host}/…RRRR`);
    const rows = JSON.stringify([
      await database.query('select * from alert_channels'),
      await database.em().find(AuditEntry, {}),
    ]);
    expect(rows).not.toContain('secret-token');
    expect(rows).not.toContain(ROUTING_KEY);
  });

  it('reach the new URL of a changed channel, with the same secret until it is rotated', async () => {
    const { secret, channel: hook } = await alerts.channels.create(accountId, {
      name: 'hook',
      kind: 'webhook',
      url: url('before'),
    });
    const signedBy = (from: string, key: string | null): boolean => {
      const last = receiver.at(from).at(-1);
      const signed = `${String(last?.headers['webhook-id'])}.${String(last?.headers['webhook-timestamp'])}.${last?.text}`;
      const bytes = Buffer.from((key ?? '').replace('whsec_', ''), 'base64');
      return last?.headers['webhook-signature'] === `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`;
    };
    const moved = await alerts.channels.update(accountId, hook.id, { name: 'moved', url: url('after-9876') });
    expect(moved).toMatchObject({ secret: null, channel: { name: 'moved', hint: `${receiver.host}/…9876` } });
    await alerts.channels.test(accountId, hook.id);
    await receiver.received.whenLength(1);
    expect(signedBy('/after-9876', secret)).toBe(true);
    const rotated = await alerts.channels.update(accountId, hook.id, { rotateSecret: true });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    await alerts.channels.test(accountId, hook.id);
    await receiver.received.whenLength(2);
    expect(signedBy('/after-9876', rotated.secret)).toBe(true);
    expect(receiver.at('/before')).toEqual([]);
    const changes = (await database.em().find(AuditEntry, { action: 'alert_channel.updated' })).map((entry) =>
      entry.changes.map(({ field }) => field),
    );
    expect(changes).toEqual(expect.arrayContaining([expect.arrayContaining(['name', 'hint', 'target']), ['target']]));
  });

  it('keep what a change does not name', async () => {
    const create = { name: 'pager', kind: 'pagerduty', routingKey: ROUTING_KEY } as const;
    const { channel: pager } = await alerts.channels.create(accountId, create);
    await alerts.channels.update(accountId, pager.id, { region: 'eu' });
    await alerts.channels.test(accountId, pager.id);
    await receiver.received.whenLength(1);
    expect(receiver.at('/pagerduty-eu')[0]?.body.routing_key).toBe(ROUTING_KEY);
    const next = 'N'.repeat(32);
    const { channel: changed } = await alerts.channels.update(accountId, pager.id, { routingKey: next });
    expect(changed.hint).toMatch(/…NNNN$/);
    await alerts.channels.test(accountId, pager.id);
    await receiver.received.whenLength(2);
    expect(receiver.at('/pagerduty-eu')[1]?.body.routing_key).toBe(next);
  });

  it('get a new target where the stored one can no longer be read', async () => {
    const { secret, channel: hook } = await alerts.channels.create(accountId, {
      name: 'hook',
      kind: 'webhook',
      url: url('before'),
    });
    await database.query('update alert_channels set sealed_target = $2 where id = $1', [hook.id, Buffer.alloc(120, 1)]);
    const renamed = await alerts.channels.update(accountId, hook.id, { name: 'renamed' });
    expect(renamed).toMatchObject({ secret: null, channel: { name: 'renamed', hint: hook.hint } });
    await expect(alerts.channels.update(accountId, hook.id, { rotateSecret: true })).rejects.toMatchObject({
      code: 'bad_user_input',
      param: 'url',
    });
    const repaired = await alerts.channels.update(accountId, hook.id, { url: url('repaired') });
    expect(repaired.secret).toMatch(/^whsec_/);
    expect(repaired.secret).not.toBe(secret);
    await alerts.channels.test(accountId, hook.id);
    await receiver.received.whenLength(1);
    expect(receiver.at('/repaired')).toHaveLength(1);
  });

  it('refuse changes that a channel cannot have', async () => {
    const id = await channel('slack');
    const { channel: mail } = await alerts.channels.create(accountId, { name: 'm', kind: 'email', emails: [email] });
    const change = (of: string, input: object): Promise<unknown> => alerts.channels.update(accountId, of, input);
    const refused = { code: 'bad_user_input' };
    await expect(change(id, { url: 'http://169.254.169.254/x' })).rejects.toMatchObject({ code: 'outbound_refused' });
    await expect(change(id, { url: '' })).rejects.toMatchObject({ ...refused, param: 'url' });
    await expect(change(id, { name: ' ' })).rejects.toMatchObject({ ...refused, param: 'name' });
    await expect(change(id, { routingKey: ROUTING_KEY })).rejects.toMatchObject({ ...refused, param: 'routingKey' });
    await expect(change(id, { rotateSecret: true })).rejects.toMatchObject({ ...refused, param: 'rotateSecret' });
    await expect(change(mail.id, { url: url('x') })).rejects.toMatchObject({ ...refused, param: 'url' });
    await expect(change(mail.id, { emails: [] })).rejects.toMatchObject({ ...refused, param: 'emails' });
    await expect(change(mail.id, { emails: ['stranger@example.com'] })).rejects.toMatchObject({
      ...refused,
      param: 'emails',
    });
    const listed = await alerts.channels.list(accountId);
    expect(listed.find((each) => each.id === id)?.hint).toBe(`${receiver.host}/…lack`);
    expect(listed.find((each) => each.id === mail.id)?.recipients).toEqual([email]);
  });

  it('are sent only to members and allowed addresses', async () => {
    const create = (input: object): Promise<unknown> =>
      alerts.channels.create(accountId, { name: 'x', kind: 'slack', ...input });
    await expect(create({ url: 'http://169.254.169.254/x' })).rejects.toMatchObject({ code: 'outbound_refused' });
    await expect(create({ kind: 'email', emails: ['stranger@example.com'] })).rejects.toMatchObject({
      code: 'bad_user_input',
      param: 'emails',
    });
    const { channel: mail } = await alerts.channels.create(accountId, { name: 'm', kind: 'email', emails: [email] });
    await database.query('delete from memberships where account_id = $1', [accountId]);
    const { id } = await alerts.channels.test(accountId, mail.id);
    await expect
      .poll(async () => (await alerts.history.deliveries(accountId, [id]))[0])
      .toMatchObject({ lastFailure: 'the address is no longer that of a member', retryAt: null, deliveredAt: null });
    expect(mails).toHaveLength(0);
  });

  it('of another account are not found', async () => {
    const { accountId: other } = await accountWithOwner(database);
    const id = await channel('slack');
    const rule = await alerts.rules.create(accountId, spendRule([id]));
    const notFound = { code: 'not_found' };
    await expect(alerts.rules.create(other, spendRule([id]))).rejects.toMatchObject(notFound);
    await expect(alerts.rules.update(other, rule.id, spendRule([]))).rejects.toMatchObject(notFound);
    const theirs = await alerts.rules.create(other, spendRule([]));
    await expect(alerts.rules.update(other, theirs.id, spendRule([id]))).rejects.toMatchObject(notFound);
    await expect(
      alerts.rules.update(other, theirs.id, spendRule([], { filter: { apiKeyId: id } })),
    ).rejects.toMatchObject(notFound);
    await expect(alerts.history.list(other, rule.id, { limit: 1 })).rejects.toMatchObject(notFound);
    await expect(alerts.rules.mute(other, rule.id, null)).rejects.toMatchObject(notFound);
    await expect(alerts.rules.remove(other, rule.id)).rejects.toMatchObject(notFound);
    await expect(alerts.channels.remove(other, id)).rejects.toMatchObject(notFound);
    await expect(alerts.channels.update(other, id, { name: 'theirs' })).rejects.toMatchObject(notFound);
    await expect(alerts.channels.test(other, id)).rejects.toMatchObject(notFound);
  });

  it('reject conditions that cannot be evaluated', async () => {
    const refused = (more: Partial<AlertRuleInput>, param: string) =>
      expect(alerts.rules.create(accountId, spendRule([], more))).rejects.toMatchObject({
        code: 'bad_user_input',
        param,
      });
    await refused({ resolveThreshold: 11 }, 'resolveThreshold');
    await refused({ windowMinutes: 20 }, 'windowMinutes');
    await refused({ kind: 'error_rate', threshold: 101 }, 'threshold');
    await refused({ kind: 'key_expiring', threshold: 7, resolveThreshold: 6 }, 'resolveThreshold');
    await refused({ kind: 'budget', resolveThreshold: 5, filter: { model: 'a/b' } }, 'filter');
  });

  it('of tags, keys and providers observe only their usage', async () => {
    const em = database.em();
    const account = em.getReference(Account, accountId);
    const key = em.create(ApiKey, {
      account,
      name: 'k',
      hint: 'k',
      secretHmac: Buffer.from(email),
      createdAt: new Date(),
    });
    await em.flush();
    const apiKeyId = key.id;
    const cost_nano = '3000000000';
    await storeUsage(database, accountId, 1, { cost_nano, tags: { team: 'a' } });
    await storeUsage(database, accountId, 1, { cost_nano, tags: { team: 'b' }, api_key_id: apiKeyId }, 2);
    clock.advance(2 * MINUTE_MS);
    const valueOf = async (filter: AlertRuleInput['filter']) =>
      (await alerts.rules.preview(accountId, { kind: 'spend', threshold: 5, filter })).map(({ value, fires }) => [
        value,
        fires,
      ]);
    expect(await valueOf({})).toEqual([[9, true]]);
    expect(await valueOf({ tag: { name: 'team', value: 'a' } })).toEqual([[3, false]]);
    expect(await valueOf({ tag: { name: 'team', value: 'b' } })).toEqual([[6, true]]);
    expect(await valueOf({ tag: { name: 'team', value: 'c' } })).toEqual([[0, false]]);
    expect(await valueOf({ apiKeyId })).toEqual([[6, true]]);
    expect(await valueOf({ provider: 'openai' })).toEqual([[0, false]]);
  });

  it('of a provider count attempts that another provider made good', async () => {
    const attempts = [
      { provider: 'openai', model: 'gpt', status: null, error: 'provider_unreachable', duration_ms: 9 },
      { provider: 'sandbox', model: 'chat', status: 200, error: null, duration_ms: 9 },
    ];
    for (const minute of [1, 5, 9]) await storeUsage(database, accountId, minute, { attempts });
    clock.advance(11 * MINUTE_MS);
    const read = await alerts.rules.preview(accountId, { kind: 'provider_down', threshold: 10 });
    expect(read.map(({ subject, value, fires }) => [subject, value, fires])).toEqual([
      ['openai', 10, true],
      ['sandbox', 0, false],
    ]);
  });

  it('of a provider count no attempt that was refused before it was sent', async () => {
    const failed = { provider: 'openai', model: 'gpt', status: null, error: 'provider_timeout', duration_ms: 9 };
    const refused = (error: string) => ({
      provider: 'anthropic',
      model: 'claude',
      status: null,
      error,
      duration_ms: 0,
    });
    const errors = ['unsupported_value', 'not_found', 'rate_limit_requests', 'capability_not_supported'];
    for (const [index, error] of errors.entries())
      await storeUsage(database, accountId, index * 2 + 1, { status: 'failed', attempts: [failed, refused(error)] });
    const invalid = { ...failed, provider: 'mistral', error: 'invalid_api_key', status: 401 };
    const token = { ...failed, provider: 'google-vertex', error: 'provider_credentials' };
    await storeUsage(database, accountId, 8, { status: 'failed', attempts: [invalid, token] });
    clock.advance(11 * MINUTE_MS);
    const preview = async () =>
      (await alerts.rules.preview(accountId, { kind: 'provider_down', threshold: 10 })).map(({ subject, value }) => [
        subject,
        value,
      ]);
    expect(await preview()).toEqual([['openai', 10]]);
    // Nor do they end an outage: only a response does.
    const down = { ...refused('provider_error'), status: 503 };
    for (const minute of [1, 5, 9])
      await storeUsage(database, accountId, minute, { status: 'failed', attempts: [down, refused('not_found')] });
    expect(await preview()).toEqual([
      ['anthropic', 10],
      ['openai', 10],
    ]);
  });
});
