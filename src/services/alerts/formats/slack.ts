import type { AlertMessage } from './message.ts';

/**
 * The body for an incoming webhook: blocks, and a text for notifications. Text of users is in `plain_text` objects, which show
 * no links or mentions, and escaped in `text`.
 * Sources: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks,
 * https://docs.slack.dev/reference/block-kit/blocks (header: 150 characters; fields: 10),
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function slackBody({ title, summary, facts, url }: AlertMessage): object {
  return {
    text: escaped(`${title} – ${summary}`),
    blocks: [
      { type: 'header', text: plain(title) },
      { type: 'section', text: plain(summary) },
      { type: 'section', fields: facts.map(([name, value]) => plain(`${name}: ${value}`)) },
      { type: 'actions', elements: [{ type: 'button', text: plain('Open dashboard'), url }] },
    ],
  };
}

function plain(text: string): object {
  return { type: 'plain_text', text, emoji: false };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
