import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** In the data folder of an adopted instance. */
export const REFUSED_USAGE = 'refused-usage.jsonl';

const commonsForm = z.array(z.looseObject({ common: z.number() }));
const rowForm = z.looseObject({ of_key: z.number().optional(), of_route: z.number().optional() });

/**
 * Appends complete records to the file of those that an adoption did not store. A repeated adoption appends them again, with the same
 * event IDs.
 * @param commons what the records refer to
 */
export async function keepRefused(folder: string, rows: readonly string[], commons: string): Promise<void> {
  const shared = new Map<number | undefined, object>();
  for (const { common, ...members } of commonsForm.parse(JSON.parse(commons))) shared.set(common, members);
  const lines = rows.map((row) => {
    const { of_key, of_route, ...own } = rowForm.parse(JSON.parse(row));
    return `${JSON.stringify({ ...shared.get(of_key), ...shared.get(of_route), ...own })}\n`;
  });
  await appendFile(join(folder, REFUSED_USAGE), lines.join(''), { mode: 0o600, flush: true });
}
