import { z } from 'zod';
import type { UsageRecord } from '../../src/gateway/usage/usage-record.ts';

const commonsForm = z.array(z.looseObject({ common: z.number() }));
const rowsForm = z.array(
  z.looseObject({ event_id: z.string(), of_key: z.number().optional(), of_route: z.number().optional() }),
);

type WholeRow = Readonly<Record<string, unknown>> & { readonly event_id: string };

/** Settled records with what they refer to instead of its numbers, as they are stored. */
export function wholeRows(rows: unknown, commons: unknown): WholeRow[] {
  const known = new Map<unknown, object>();
  for (const { common, ...members } of commonsForm.parse(commons)) known.set(common, members);
  return rowsForm.parse(rows).map(({ of_key, of_route, ...own }) => ({
    ...known.get(of_key),
    ...known.get(of_route),
    ...own,
  }));
}

/** Those of one segment of a journal. @param text of its file */
export function rowsOfSegment(text: string): UsageRecord[] {
  const records = (kind: string): unknown[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith(kind))
      .map((line) => JSON.parse(line.slice(1)));
  return JSON.parse(JSON.stringify(wholeRows(records('S'), records('C'))));
}
