import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { JobQueue } from '../../../src/jobs/job-queue.ts';
import { AlertDeliveries } from '../../../src/services/alerts/deliveries.ts';
import type { Attempt } from '../../../src/services/alerts/sender.ts';
import { accountWithOwner, HOUR_START } from '../../harness/alert-usage.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const queue = { define: () => ({}), send: async () => undefined } as unknown as JobQueue;
const failed: Attempt = { status: 500, failure: 'it returned status 500', isFinal: false };
const accepted: Attempt = { status: 200, failure: null, isFinal: false };

describeWithDatabase('an attempt to deliver an alert', (databases) => {
  it('changes nothing where its process was paused, and another one delivered meanwhile', async () => {
    const database = await databases.open();
    const clock = new FakeClock(HOUR_START);
    const { accountId } = await accountWithOwner(database);
    const [channel, event, delivery] = [randomUUID(), randomUUID(), randomUUID()];
    const now = new Date(clock.now());
    await database.query(
      "insert into alert_channels (id, account_id, name, kind, hint) values ($1, $2, 'Pager', 'webhook', 'host')",
      [channel, accountId],
    );
    await database.query(
      `insert into alert_events (id, account_id, rule_name, kind, transition, subject, label, summary, path, incident_id, created_at)
       values ($1, $2, 'Too much', 'spend', 'fired', '', '', 'It fired.', '/alerts', $1, $3)`,
      [event, accountId, now],
    );
    await database.query(
      `insert into alert_deliveries (id, event_id, channel_id, channel_name, channel_kind, recipient, retry_at)
       values ($1, $2, $3, 'Pager', 'webhook', '', $4)`,
      [delivery, event, channel, now],
    );
    const pause = Promise.withResolvers<Attempt>();
    const attempts = [pause.promise, Promise.resolve(accepted)];
    const sent = new Arrivals<string>();
    const send = ({ id }: { readonly id: string }): Promise<Attempt> => {
      sent.push(id);
      return attempts[sent.length - 1] ?? expect.fail('a third attempt');
    };
    const deliveries = new AlertDeliveries(queue, { database, sender: { send }, clock });
    const paused = deliveries.deliver(delivery);
    await sent.whenLength(1);
    clock.advance(5 * 60_000);
    await deliveries.deliver(delivery);
    pause.resolve(failed);
    await paused;
    expect(
      await database.query(
        'select attempts, last_status as status, last_failure as failure, retry_at as retry from alert_deliveries where id = $1',
        [delivery],
      ),
    ).toEqual([{ attempts: 2, status: 200, failure: null, retry: null }]);
  });
});
