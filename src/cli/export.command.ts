import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { Database } from '../database/database.ts';
import { AuditLog, auditFormats, isAuditFormat } from '../services/audit/audit-log.ts';
import { findMasterKeys } from '../composition/master-keys.ts';
import type { MasterKeys } from '../secrets/master-keys.ts';
import { ContentSeal } from '../services/content-log/content-seal.ts';
import { decryptedLines } from '../services/dataset-runs/decrypted-lines.ts';
import { AccountExport } from '../services/members/account-export.ts';
import { exportFormats, isExportFormat, UsageExport } from '../services/usage/export/usage-export.ts';
import { isUuid } from '../services/uuid.ts';
import { oldestAccount } from './accounts/oldest-account.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice export usage [--format csv|jsonl|parquet] [--from <when>] [--to <when>] [--account <id>] [--output <file>]
  sluice export audit [--format csv|jsonl] [--from <when>] [--to <when>] [--account <id>] [--output <file>]
  sluice export account [--account <id>] [--output <file>]

Writes the usage log, the audit log, or all data of an account (JSON lines with a \`type\` each), oldest first, to standard
output or to a file. The default format is CSV. A time is a UTC date or a timestamp: 2026-11-01, 2026-11-01T12:00:00Z.
--to is exclusive. The default account is the oldest one.
In the usage log, cost_usd is an exact decimal; in Parquet it is cost_nano_usd, an integer in nano-USD.
A running server provides the same files: GET /exports/usage.csv, /exports/audit.csv, /exports/account.jsonl.

Examples:
  sluice export usage --from 2026-11-01 --to 2026-12-01 > november.csv
  sluice export usage --format parquet --output usage.parquet
  sluice export account --output account.jsonl
`;

interface Range {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

interface Source {
  readonly database: Database;
  /** The master keys of the server; null if there are none. */
  readonly findMasterKeys: () => Promise<MasterKeys | null>;
  /** Called for each item of a dataset, or output of a run, that cannot be decrypted. */
  readonly onUnreadable: () => void;
}

/** The formats of an export, the default first, and how its file is generated. */
interface Kind {
  readonly formats: readonly string[];
  file(source: Source, format: string, accountId: string, range: Range): AsyncIterable<Uint8Array>;
}

const kinds: Readonly<Record<string, Kind>> = {
  usage: {
    formats: exportFormats,
    file: ({ database }, format, accountId, range) =>
      new UsageExport(database).file(isExportFormat(format) ? format : 'csv', { accountId, ...range }),
  },
  audit: {
    formats: auditFormats,
    file: ({ database }, format, accountId, { from, to }) =>
      new AuditLog(database).file(isAuditFormat(format) ? format : 'csv', accountId, { since: from, until: to }),
  },
  account: {
    formats: ['jsonl'],
    file: accountFile,
  },
};

async function* accountFile(source: Source, _format: string, accountId: string): AsyncGenerator<Uint8Array> {
  const { database, onUnreadable } = source;
  const masterKeys = await source.findMasterKeys();
  const seal = masterKeys === null ? { open: () => null } : new ContentSeal(masterKeys);
  yield* new AccountExport(database, (of) => decryptedLines(database, seal, of, onUnreadable)).file(accountId);
}

/** @returns the exit code */
export async function exportCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      format: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      account: { type: 'string' },
      output: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const [name = '', ...more] = positionals;
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined || more.length > 0) return refuse(usage);
  const { account, output } = values;
  const { format = kind.formats[0] ?? '' } = values;
  if (!kind.formats.includes(format)) return refuse(`--format must be one of ${kind.formats.join(', ')}.\n`);
  if (account !== undefined && !isUuid(account)) return refuse('--account must be a UUID.\n');
  const [from, to] = [moment(values.from), moment(values.to)];
  if (from === null || to === null)
    return refuse('--from and --to must be a date or a timestamp: 2026-11-01, 2026-11-01T12:00:00Z.\n');
  if (name === 'account' && (from || to))
    return refuse('An account export is always complete. Omit --from and --to.\n');
  return withDatabase(async (database, environment) => {
    await database.migrate();
    const warn = (text: string): void => void process.stderr.write(`${text}\n`);
    let unreadable = 0;
    const source: Source = {
      database,
      findMasterKeys: async () => (await findMasterKeys(database, environment, warn))?.keys ?? null,
      onUnreadable: () => unreadable++,
    };
    const accountId = account ?? (await oldestAccount(database));
    const pieces = Readable.from(kind.file(source, format, accountId, { from, to }));
    if (output === undefined) await pipeline(pieces, process.stdout, { end: false }).catch(unlessClosed);
    else await pipeline(pieces, createWriteStream(output));
    if (unreadable === 0) return 0;
    warn(
      `${unreadable} ${unreadable === 1 ? 'dataset item or output' : 'dataset items and outputs'} cannot be decrypted: the secret is missing or another one. Restore it, then export again.`,
    );
    return 1;
  });
}

/** Undefined without a text, null if it is not a valid time. */
function moment(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}(?:T.*(?:Z|[+-]\d{2}:\d{2}))?$/i.test(text) ? new Date(text) : new Date(Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** A closed pipe is not an error: `sluice export usage | head`. */
function unlessClosed(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}
