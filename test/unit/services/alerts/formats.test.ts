import { describe, expect, it } from 'vitest';
import type { Notification } from '../../../../src/services/alerts/notification.ts';
import { alertMail } from '../../../../src/services/alerts/formats/mail.ts';
import { messageOf } from '../../../../src/services/alerts/formats/message.ts';
import { pagerDutyBody } from '../../../../src/services/alerts/formats/pagerduty.ts';
import { slackBody } from '../../../../src/services/alerts/formats/slack.ts';
import { teamsBody } from '../../../../src/services/alerts/formats/teams.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const hostile = '<!channel> *bold* [a](https://evil.example)\n& "x"';

const notification: Notification = {
  id: ID,
  channel: { id: ID, kind: 'slack', sealedTarget: null },
  recipient: 'ops@example.com',
  accountId: ID,
  accountName: 'Acme',
  event: {
    id: ID,
    incidentId: ID,
    ruleId: ID,
    ruleName: hostile,
    kind: 'key_expiring',
    transition: 'fired',
    subject: ID,
    label: 'evil.example/x',
    value: 2.5,
    threshold: 7,
    summary: 'The key evil.example/x expires in 2.5 days. The threshold is 7 days.',
    path: '/keys?key=abc',
    createdAt: new Date('2026-11-27T12:00:00Z'),
  },
};
const message = messageOf(notification, 'https://ai.example.com');
const title = 'Alert: <!channel> *bold* [a](https://evil.example) & "x"';

describe('the formats of notifications', () => {
  it('link to the page of the dashboard with its filter', () => {
    expect(message).toMatchObject({ title, url: 'https://ai.example.com/keys?key=abc' });
  });

  it('show text of users in Slack without links or mentions', () => {
    const { text, blocks } = slackBody(message) as { text: string; blocks: { type: string }[] };
    expect(text).toBe(
      'Alert: &lt;!channel&gt; *bold* [a](https://evil.example) &amp; "x" – The key evil.example/x expires in 2.5 days. The threshold is 7 days.',
    );
    expect(blocks[0]).toEqual({ type: 'header', text: { type: 'plain_text', text: title, emoji: false } });
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
  });

  it('show text of users in Teams in elements without Markdown', () => {
    const body = teamsBody(message) as { attachments: { contentType: string; content: { body: object[] } }[] };
    const [attachment] = body.attachments;
    expect(attachment?.contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(attachment?.content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' });
    expect(attachment?.content.body[0]).toEqual({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text: title, size: 'medium', weight: 'bolder' }],
    });
    expect(JSON.stringify(body)).not.toContain('"TextBlock"');
  });

  it('identify the incident for PagerDuty, which resolves it by the same key', () => {
    const trigger = pagerDutyBody(notification, message, 'a'.repeat(32));
    expect(trigger).toMatchObject({
      routing_key: 'a'.repeat(32),
      event_action: 'trigger',
      dedup_key: `sluice-${ID}`,
      payload: { source: 'ai.example.com', severity: 'warning', class: 'key_expiring' },
      links: [{ href: 'https://ai.example.com/keys?key=abc', text: 'Open dashboard' }],
    });
    const resolved = { ...notification, event: { ...notification.event, transition: 'resolved' as const } };
    expect(pagerDutyBody(resolved, message, 'a'.repeat(32))).toEqual({
      routing_key: 'a'.repeat(32),
      event_action: 'resolve',
      dedup_key: `sluice-${ID}`,
    });
  });

  it('show no name of users as a link in e-mail', () => {
    const { subject, text } = alertMail(notification, message);
    expect(subject).not.toMatch(/evil\.example/);
    expect(text).not.toMatch(/evil\.example/);
    expect(text).toContain('https://ai.example.com/keys?key=abc');
  });
});
