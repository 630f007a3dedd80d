import express, { type Request, type Response, type Router } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { delay, systemClock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { isAuditFormat, type AuditLog } from '../../services/audit/audit-log.ts';
import { datasetFormats, type DatasetExport } from '../../services/datasets/dataset-export.ts';
import { isUuid } from '../../services/uuid.ts';
import type { AccountExport } from '../../services/members/account-export.ts';
import { isExportFormat, type ExportFormat, type UsageExport } from '../../services/usage/export/usage-export.ts';
import { accountOfCaller, type CallersDirectory } from '../authentication/account-of-caller.ts';
import { onlyMethods } from '../http/errors.ts';
import { auditOriginOf } from '../authentication/audit-origin.ts';
import { withAuditContext } from '../../services/audit/audit-context.ts';
import { usageFilterOf, usageShapeOf } from './usage-filter.ts';
import { identityOf } from '../headers/request-headers.ts';

/** Between parts of a file: about as long as one takes to write. Other requests of the process run. */
const PAUSE_MS = 5;

export interface ExportDependencies extends CallersDirectory {
  readonly usage: UsageExport;
  readonly audit: AuditLog;
  readonly account: AccountExport;
  readonly datasets: Pick<DatasetExport, 'file' | 'requireReadable'>;
}

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Streamed exports of an account, for sessions and keys with the permission. */
export function buildExportsRouter(deps: ExportDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  // GET handles HEAD too.
  const serve = (path: RegExp, prepare: (request: Request) => Promise<ExportFile>): void =>
    void router
      .route(path)
      .get((request, response) =>
        withAuditContext(auditOriginOf(request, response), async () =>
          answer(await prepare(request), request, response),
        ),
      )
      .all(reading);
  serve(/^\/exports\/usage\.(?:csv|jsonl|parquet)$/, async (request) => {
    const accountId = await accountOfCaller(deps, request, 'usage.read');
    const format = formatOf(request);
    if (!isExportFormat(format)) throw noSuchFormat(format);
    const filter = { ...usageFilterOf(request), ...usageShapeOf(request) };
    if (filter.text !== undefined) await accountOfCaller(deps, request, 'logged_content.read');
    const range = { ...filter, from: moment(request, 'from'), to: moment(request, 'to') };
    return { name: 'usage', format, pieces: deps.usage.file(format, { accountId, ...range }) };
  });
  serve(/^\/exports\/audit\.(?:csv|jsonl)$/, async (request) => {
    const accountId = await accountOfCaller(deps, request, 'audit.read');
    const format = formatOf(request);
    if (!isAuditFormat(format)) throw noSuchFormat(format);
    const range = { since: moment(request, 'from'), until: moment(request, 'to') };
    return { name: 'audit', format, pieces: deps.audit.file(format, accountId, range) };
  });
  serve(/^\/exports\/account\.jsonl$/, async (request) => {
    const accountId = await accountOfCaller(deps, request, 'account.export');
    return { name: 'account', format: 'jsonl', pieces: deps.account.file(accountId) };
  });
  serve(/^\/exports\/dataset\.jsonl$/, async (request) => {
    const accountId = await accountOfCaller(deps, request, 'datasets.read');
    const [format, id] = [datasetFormatOf(request), datasetIdOf(request)];
    if (!omitsUnreadable(request)) await deps.datasets.requireReadable(accountId, id);
    const pieces = deps.datasets.file(format, accountId, id);
    return { name: 'dataset', format: 'jsonl', pieces };
  });
  return router;
}

/** @throws SluiceError invalid_value */
function datasetFormatOf({ query: { format } }: Request): (typeof datasetFormats)[number] {
  const given = format === undefined || format === '' ? 'plain' : format;
  const found = datasetFormats.find((each) => each === given);
  if (found !== undefined) return found;
  const reason = `expected one of ${datasetFormats.join(', ')}`;
  throw new SluiceError('invalid_value', { param: 'format', values: { reason } });
}

/** @throws SluiceError invalid_value */
function omitsUnreadable({ query: { unreadable } }: Request): boolean {
  if (unreadable === undefined || unreadable === '' || unreadable === 'refuse') return false;
  if (unreadable === 'omit') return true;
  throw new SluiceError('invalid_value', { param: 'unreadable', values: { reason: 'expected one of refuse, omit' } });
}

/** A UUID, or a GraphQL ID: `Dataset:` and the UUID in base64url. @throws SluiceError not_found */
function datasetIdOf({ query: { id } }: Request): string {
  const given = typeof id === 'string' ? id.slice(0, 200) : '';
  const decoded = Buffer.from(given, 'base64url').toString();
  const uuid = decoded.startsWith('Dataset:') ? decoded.slice('Dataset:'.length) : given;
  if (!isUuid(uuid)) throw new SluiceError('not_found', { values: { what: 'dataset' } });
  return uuid;
}

interface ExportFile {
  readonly name: string;
  readonly format: ExportFormat;
  readonly pieces: AsyncGenerator<Buffer>;
}

function formatOf({ path }: Request): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function noSuchFormat(format: string): SluiceError {
  return new SluiceError('internal_error', { detail: `no export is ${format}` });
}

async function answer({ name, format, pieces }: ExportFile, request: Request, response: Response): Promise<void> {
  // Errors before the first chunk are rendered as errors.
  const first = request.method === 'HEAD' ? null : await pieces.next();
  response.set({
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="${name}.${format}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': identityOf(response).requestId,
  });
  if (first === null) {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.from(withFirst(first, pieces)), response);
  } catch (error) {
    // The client disconnected. After other errors the connection is closed without the last chunk, which marks the file incomplete.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
  }
}

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  for await (const piece of rest) {
    await delay(systemClock, PAUSE_MS);
    yield piece;
  }
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

function moment(request: Request, name: 'from' | 'to'): Date | undefined {
  const given: unknown = request.query[name];
  if (given === undefined || given === '') return undefined;
  // An unencoded plus in a URL is decoded as a space.
  const text = String(given).replace(' ', '+');
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new SluiceError('invalid_value', {
      param: name,
      values: {
        reason: 'expected a date or a timestamp in RFC 3339 format, such as 2026-11-01 or 2026-11-01T00:00:00Z',
      },
    });
  return new Date(at);
}
