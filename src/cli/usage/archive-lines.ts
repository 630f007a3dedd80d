import { systemClock, type Clock } from '../../calendar/clock.ts';
import { formatUsd } from '../../catalogue/prices/price.ts';
import type { ArchivedMonth, ArchiveProgress } from '../../services/usage/archive/usage-archive.ts';

const INTERVAL_MS = 2_000;
const count = (number: number): string => number.toLocaleString('en-US');
const parts = (number: number): string => `${count(number)} ${number === 1 ? 'part' : 'parts'}`;

/** Shows progress from time to time, as one line where the output is a terminal. */
export class ArchiveLines {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #begunAt = 0;
  #shownAt = 0;

  constructor(clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#begunAt = this.#clock.monotonic();
    this.#shownAt = this.#begunAt;
  }

  show({ month, part, rows }: ArchiveProgress): void {
    const now = this.#clock.monotonic();
    if (now - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = now;
    const perSecond = count(Math.round((rows * 1_000) / (now - this.#begunAt)));
    const text = `${month}: writing part ${part}, ${count(rows)} rows, ${perSecond} rows/s`;
    process.stderr.write(process.stderr.isTTY ? `\u001b[K${text}\r` : `${text}\n`);
  }
}

export function describeArchived({ record, added, isUpToDate }: ArchivedMonth): string {
  const { month, location } = record;
  const place = `${location.replace(/\/$/, '')}/usage/month=${month}/`;
  if (isUpToDate)
    return `${month}: up to date, with ${rowsText(record)} in ${parts(record.parts)}, in ${place}. There are no late rows.\n`;
  const rows = added.reduce((sum, part) => sum + part.rows, 0);
  const bytes = added.reduce((sum, part) => sum + part.bytes, 0);
  const costNano = added.reduce((sum, part) => sum + part.costNano, 0n);
  const total = added.length === record.parts ? '' : ` ${rowsText(record)} in ${parts(record.parts)} in all.`;
  return `${month}: archived and verified ${rowsText({ rows, costNano, bytes })} in ${parts(added.length)}, in ${place}.${total}\n`;
}

function rowsText(of: { readonly rows: number; readonly costNano: bigint; readonly bytes: number }): string {
  return `${count(of.rows)} rows (${formatUsd(of.costNano)} USD, ${(of.bytes / 1_000_000).toFixed(1)} MB)`;
}

/** Null if nothing is missing. */
export function describeMissing({ record }: ArchivedMonth): string | null {
  const { month, incompleteAccounts: number } = record;
  if (number === 0) return null;
  const accounts = number === 1 ? 'One account' : `${count(number)} accounts`;
  return `${month}: ${accounts} may lack rows that retention or an erasure removed before the month was archived.\n`;
}
