import type { Request } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { Tags } from '../../gateway/call.ts';

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
