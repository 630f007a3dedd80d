import { parseArgs } from 'node:util';
import { isUuid } from '../../services/uuid.ts';
import { BadArguments } from '../errors/bad-arguments.ts';

/** Manual postings by action, with the ledger's method. */
export const bookings = { grant: 'grant', 'top-up': 'topUp', refund: 'refund', withdraw: 'withdraw' } as const;

export type LedgerArguments =
  | { readonly action: 'help' | 'check' }
  | { readonly action: 'list'; readonly account: string | undefined; readonly limit: number }
  | ({ readonly action: keyof typeof bookings } & Booking);

export interface Booking {
  /** Defaults to the only account. */
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

/** @returns null for an unknown action. @throws BadArguments, and the errors of Node's `parseArgs` */
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
  if (account !== undefined && !isUuid(account)) throw new BadArguments('--account must be a UUID.');
  if (isBooking(action)) {
    if (amount === undefined) throw new BadArguments(`Specify the amount: sluice ledger ${action} 12.50.`);
    if (limit !== undefined) throw new BadArguments('--limit is only supported by list.');
    const labels = {
      reference: short('reference', reference, MAX_REFERENCE_LENGTH),
      note: short('note', note, MAX_NOTE_LENGTH),
    };
    return { action, account, amountNano: nanoOf(amount), ...labels };
  }
  if (amount !== undefined) return null;
  if (reference !== undefined || note !== undefined)
    throw new BadArguments(`--reference and --note are only supported by ${Object.keys(bookings).join(', ')}.`);
  if (action === 'list') return { action, account, limit: limitOf(limit) };
  if (action !== 'check') return null;
  if (account !== undefined || limit !== undefined)
    throw new BadArguments('check verifies the ledger of all accounts. Omit --account and --limit.');
  return { action };
}

function isBooking(action: string): action is keyof typeof bookings {
  return Object.hasOwn(bookings, action);
}

/** Parses a decimal of USD to nano-USD. */
function nanoOf(text: string): bigint {
  const [, integer = '', decimals = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const nano = BigInt(integer + decimals.padEnd(USD_PLACES, '0'));
  if (integer === '' || nano === 0n)
    throw new BadArguments(
      'An amount must be USD above zero, with up to nine digits before and nine after the decimal point: 12.50.',
    );
  return nano;
}

/** `list` prints it on one line. */
function short(option: string, text: string | undefined, maxLength: number): string | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '' || text.length > maxLength || /\p{Cc}/u.test(text))
    throw new BadArguments(`--${option} must be one line of 1 to ${maxLength} characters.`);
  if (option === 'reference' && /^(?:invoice|stripe):/.test(text))
    throw new BadArguments('References that begin with invoice: or stripe: are reserved for invoices and Stripe.');
  return text;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LISTED) throw new BadArguments(`--limit must be an integer from 1 to ${MAX_LISTED}.`);
  return limit;
}
