import type { Response, Request } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { newEventIds, type EventIds } from '../../gateway/event-id.ts';
import { SluiceError } from '../../errors/index.ts';
import type { RequestSpan } from '../../gateway/telemetry/request-span.ts';
import type { Tags } from '../../gateway/call.ts';
import { parseContentLevel, type ContentLevel } from '../../gateway/content/content-level.ts';
import type { IncomingMessage } from 'node:http';

/** IDs and start time of a request. */
export interface RequestIdentity extends EventIds {
  readonly clock: Clock;
  /** Monotonic time of `clock`, in milliseconds. */
  readonly startedAt: number;
}

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Locals {
      identity?: RequestIdentity;
      /** Absent where neither traces nor metrics are exported. */
      span?: RequestSpan;
      /** Clock of the server; defaults to the system clock. */
      clock?: Clock;
    }
  }
}

/** Creates the identity at the first call for a response. */
export function identityOf(response: Response): RequestIdentity {
  const known: RequestIdentity | undefined = response.locals.identity;
  if (known !== undefined) return known;
  const { eventId, requestId } = newEventIds();
  const { clock = systemClock } = response.locals;
  const identity = { eventId, requestId, clock, startedAt: clock.monotonic() };
  response.locals.identity = identity;
  return identity;
}

/** Since the beginning of a request, in whole milliseconds. */
export function elapsedMs({ clock, startedAt }: RequestIdentity): number {
  return Math.round(clock.monotonic() - startedAt);
}

const MAX_SECONDS = 30 * 24 * 3_600;
const form = /^\s*ttl\s*=\s*(\d{1,9})\s*$/i;

/**
 * `x-sluice-cache: ttl=SECONDS` uses a cached response up to this age, or caches the new one. `off` disables the cache, whatever
 * the key or the route configures.
 * @returns milliseconds; 0 for off, null without the header
 * @throws SluiceError invalid_value
 */
export function readCacheHeader(request: Request): number | null {
  const given = request.headers['x-sluice-cache'];
  if (given === undefined) return null;
  const text = String(given);
  if (text.trim().toLowerCase() === 'off') return 0;
  const seconds = Number(form.exec(text)?.[1] ?? Number.NaN);
  if (seconds <= MAX_SECONDS) return seconds * 1_000;
  throw new SluiceError('invalid_value', {
    param: 'x-sluice-cache',
    values: { reason: `it must be \`ttl=<seconds>\` with up to ${MAX_SECONDS} seconds, or \`off\`.` },
  });
}

/**
 * `x-sluice-log: off`, `metadata` or `full`: the content that may be stored of this request at most.
 * @returns null without the header
 * @throws SluiceError invalid_value
 */
export function readLogHeader(request: Request): ContentLevel | null {
  const given = request.headers['x-sluice-log'];
  if (given === undefined) return null;
  const level = parseContentLevel(String(given));
  if (level !== null) return level;
  throw new SluiceError('invalid_value', {
    param: 'x-sluice-log',
    values: { reason: 'it must be `off`, `metadata` or `full`.' },
  });
}

const MAX_SESSION_LENGTH = 256;

/** The client's session, by the headers of Codex, Claude Code and opencode; null without one. */
export function readSessionHeader({ headers }: Request): string | null {
  const named = headers['x-session-affinity'] ?? headers['x-claude-code-session-id'] ?? headers['session-id'];
  return typeof named === 'string' && named !== '' ? named.slice(0, MAX_SESSION_LENGTH) : null;
}

const HEADER = 'x-sluice-tags';
const MAX_TAGS = 16;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 256;
const namePattern = /^[\w.-]+$/;

/**
 * `x-sluice-tags: team=search, project=2026-q4`: labels of a request in the usage log. Values are decoded as UTF-8 if they are
 * valid UTF-8, else as Latin-1, as in HTTP.
 * @returns null without tags
 * @throws SluiceError invalid_value
 */
export function readTagsHeader(request: Request): Tags | null {
  const given = request.headers[HEADER];
  if (given === undefined) return null;
  const tags = new Map<string, string>();
  for (const part of decoded(String(given)).split(',')) {
    if (part.trim() === '') continue;
    const [name, value] = readTag(part);
    if (tags.has(name)) throw fault(`the tag ${name} occurs twice.`);
    tags.set(name, value);
  }
  if (tags.size > MAX_TAGS) throw fault(`it contains ${tags.size} tags, and at most ${MAX_TAGS} are allowed.`);
  return tags.size === 0 ? null : Object.fromEntries(tags);
}

function readTag(part: string): [name: string, value: string] {
  const at = part.indexOf('=');
  const name = part.slice(0, Math.max(0, at)).trim();
  if (at === -1) throw fault(`${shown(part)} is not name=value.`);
  if (!namePattern.test(name))
    throw fault(`${shown(name)} is not a valid tag name. Use letters, digits, "_", "." and "-".`);
  if (name.length > MAX_NAME_LENGTH)
    throw fault(`the name ${shown(name)} is longer than ${MAX_NAME_LENGTH} characters.`);
  const value = part.slice(at + 1).trim();
  if ([...value].length > MAX_VALUE_LENGTH)
    throw fault(`the value of ${name} is longer than ${MAX_VALUE_LENGTH} characters.`);
  return [name, value];
}

/** Node decodes headers as Latin-1. */
function decoded(text: string): string {
  const utf8 = Buffer.from(text, 'latin1').toString();
  return utf8.includes('\u{fffd}') ? text : utf8;
}

function shown(text: string): string {
  return JSON.stringify(text.trim().slice(0, MAX_NAME_LENGTH));
}

function fault(reason: string): SluiceError {
  return new SluiceError('invalid_value', { param: HEADER, values: { reason } });
}

/** Longer content types are truncated in error messages. */
const MAX_SHOWN_LENGTH = 100;

/**
 * Requires a JSON body in UTF-8.
 * @throws SluiceError unsupported_content_type
 */
export function requireJson(request: IncomingMessage): void {
  const { 'content-type': contentType = '' } = request.headers;
  if (contentType !== 'application/json' && !isJson(contentType))
    throw new SluiceError('unsupported_content_type', {
      values: { contentType: contentType.slice(0, MAX_SHOWN_LENGTH), expected: 'application/json' },
    });
}

/**
 * Requires an uncompressed multipart form.
 * @throws SluiceError unsupported_content_type | unsupported_content_encoding
 */
export function requireForm(request: IncomingMessage): void {
  const { 'content-type': contentType = '', 'content-encoding': encoding } = request.headers;
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType))
    throw new SluiceError('unsupported_content_type', {
      values: { contentType: contentType.slice(0, MAX_SHOWN_LENGTH), expected: 'multipart/form-data' },
    });
  requireUncompressed(encoding);
}

function requireUncompressed(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new SluiceError('unsupported_content_encoding', {
      values: {
        encoding: encoding.slice(0, MAX_SHOWN_LENGTH),
        supported: 'it uncompressed, because files are already compressed',
      },
    });
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!/^application\/(json|[\w.+-]+\+json)$/.test(type.trim())) return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?(utf-?8|us-ascii)"?$/.test(charset);
}
