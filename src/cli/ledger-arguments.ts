import { parseArgs } from 'node:util';
import { isUuid } from '../services/uuid.ts';
import { BadArguments } from './bad-arguments.ts';

/** What can be booked by hand, and the ledger's method that does it. */
export const bookings = { grant: 'grant', 'top-up': 'topUp', refund: 'refund', withdraw: 'withdraw' } as const;

export type LedgerArguments =
  | { readonly action: 'help' | 'check' }
  | { readonly action: 'list'; readonly account: string | undefined; readonly limit: number }
  | ({ readonly action: keyof typeof bookings } & Booking);

export interface Booking {
  /** The only one there is where absent. */
  readonly account: string | undefined;
  readonly amountNano: bigint;
  readonly reference: string | undefined;
  readonly note: string | undefined;
}

const USD_PLACES = 9;
const MAX_REFERENCE_LENGTH = 200;
const MAX_NOTE_LENGTH = 1_000;
const DEFAULT_LIMIT = 20;
const MAX_LISTED = 1_000;

/** @returns null where they name nothing that there is. @throws BadArguments, and what Node's `parseArgs` throws */
export function readLedgerArguments(args: readonly string[]): LedgerArguments | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      account: { type: 'string' },
      reference: { type: 'string' },
      note: { type: 'string' },
      limit: { type: 'string' },
    },
  });
  const { account, reference, note, limit } = values;
  const [action = '', amount, ...more] = positionals;
  if (values.help) return { action: 'help' };
  if (more.length > 0) return null;
  if (account !== undefined && !isUuid(account)) throw new BadArguments('An account’s id is a UUID.');
  if (isBooking(action)) {
    if (amount === undefined) throw new BadArguments(`Name what to book: sluice ledger ${action} 12.50.`);
    if (limit !== undefined) throw new BadArguments('--limit belongs to list.');
    const told = {
      reference: short('reference', reference, MAX_REFERENCE_LENGTH),
      note: short('note', note, MAX_NOTE_LENGTH),
    };
    return { action, account, amountNano: nanoOf(amount), ...told };
  }
  if (amount !== undefined) return null;
  if (reference !== undefined || note !== undefined)
    throw new BadArguments(`--reference and --note belong to ${Object.keys(bookings).join(', ')}.`);
  if (action === 'list') return { action, account, limit: limitOf(limit) };
  if (action !== 'check') return null;
  if (account !== undefined || limit !== undefined) throw new BadArguments('check reads the ledger of all accounts.');
  return { action };
}

function isBooking(action: string): action is keyof typeof bookings {
  return Object.hasOwn(bookings, action);
}

/** Of a decimal of USD. */
function nanoOf(text: string): bigint {
  const [, whole = '', places = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const nano = BigInt(whole + places.padEnd(USD_PLACES, '0'));
  if (whole === '' || nano === 0n)
    throw new BadArguments('An amount is USD above zero, up to nine digits before the point and nine after: 12.50.');
  return nano;
}

/** What is printed again by `list`, each on a line. */
function short(option: string, text: string | undefined, longest: number): string | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '' || text.length > longest || /\p{Cc}/u.test(text))
    throw new BadArguments(`--${option} takes a line of 1 to ${longest} characters.`);
  if (option === 'reference' && /^(?:invoice|stripe):/.test(text))
    throw new BadArguments('References that begin with invoice: or stripe: are those of invoices and of Stripe.');
  return text;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LISTED) throw new BadArguments(`--limit takes a whole number of 1 to ${MAX_LISTED}.`);
  return limit;
}
