import { formatValue, kindTraits } from '../alert-kinds.ts';
import type { Notification } from '../notification.ts';

/** What every format shows. */
export interface AlertMessage {
  /** One line. */
  readonly title: string;
  readonly summary: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The page of the dashboard that shows the data. */
  readonly url: string;
}

const MAX_NAME_LENGTH = 100;
const prefixes = { fired: 'Alert', resolved: 'Resolved', test: 'Test' } as const;

/** @param publicUrl the origin of the dashboard */
export function messageOf({ event, accountName }: Notification, publicUrl: string): AlertMessage {
  const { kind, transition, label, value, threshold, summary, path, createdAt } = event;
  const { unit } = kindTraits[kind];
  const fact = (name: string, text: string | null): (readonly [string, string])[] =>
    text === null || text === '' ? [] : [[name, text]];
  return {
    title: `${prefixes[transition]}: ${oneLine(event.ruleName)}`,
    summary: oneLine(summary, 1_000),
    facts: [
      ...fact('Account', oneLine(accountName)),
      ...fact('Subject', oneLine(label)),
      ...fact('Value', value === null ? null : formatValue(value, unit)),
      ...fact('Threshold', threshold === null ? null : formatValue(threshold, unit)),
      ...fact('Time', createdAt.toISOString()),
    ],
    url: new URL(path, publicUrl).href,
  };
}

/** Text of users, without line breaks and characters that are not printed. */
function oneLine(text: string, length = MAX_NAME_LENGTH): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
