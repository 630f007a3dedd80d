import type { AlertMessage } from './message.ts';

/**
 * The body for the Teams workflow "Post to a channel when a webhook request is received": an Adaptive Card. Text of users is in
 * `TextRun`s, which do not support Markdown.
 * Sources: https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using,
 * https://adaptivecards.io/explorer/TextRun.html
 */
export function teamsBody({ title, summary, facts, url }: AlertMessage): object {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            richText({ text: title, size: 'medium', weight: 'bolder' }),
            richText({ text: summary }),
            ...facts.map(([name, value]) => richText({ text: `${name}: `, weight: 'bolder' }, { text: value })),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open dashboard', url }],
        },
      },
    ],
  };
}

function richText(
  ...runs: readonly { readonly text: string; readonly size?: string; readonly weight?: string }[]
): object {
  return { type: 'RichTextBlock', inlines: runs.map((run) => ({ type: 'TextRun', ...run })) };
}
