import type { SeededRandom } from '../text/seeded-random.ts';
import type { MergedSchema } from './merged-schema.ts';
import { textFromPattern } from './text-from-pattern.ts';
import type { WorkBudget } from './work-budget.ts';

/** The parts of the user's message that values are generated from. */
export interface UserHints {
  /** The complete message. */
  readonly question: string;
  /** Names in it: words that begin with a capital letter. */
  readonly names: readonly string[];
  readonly numbers: readonly number[];
}

const NAME_LIKE = /city|location|place|country|region|person|name|destination|origin|company|author|customer/i;
const TEXT_LIKE = /query|question|prompt|input|text|message|content|topic|subject|title|task|request|search|code/i;
const FILLER = ' and so on';

/** A text with the required pattern, format and length (code points), based on the user's message where it is free. */
export function textValue(
  schema: MergedSchema,
  name: string,
  random: SeededRandom,
  hints: UserHints,
  work: WorkBudget,
  maxLength: number,
): string {
  const min = Math.min(Math.max(0, Math.ceil(schema.lower.get('minLength') ?? 0)), maxLength);
  const max = Math.max(min, Math.floor(schema.upper.get('maxLength') ?? maxLength));
  const [pattern] = schema.patterns;
  if (pattern !== undefined) {
    const text = textFromPattern(pattern, random, work, min, max);
    if (text !== null) return text;
  }
  const formatted = schema.format === undefined ? undefined : formattedText(schema.format, random, min);
  return formatted !== undefined && formatted.length <= max
    ? formatted
    : fitted(freeText(name, random, hints), min, max);
}

function freeText(name: string, random: SeededRandom, hints: UserHints): string {
  const [firstName] = hints.names;
  if (NAME_LIKE.test(name) && firstName !== undefined)
    return hints.names[random.below(hints.names.length)] ?? firstName;
  if (TEXT_LIKE.test(name) && hints.question !== '') return hints.question;
  return name === '' ? 'a sandbox value' : `a sandbox value for ${name}`;
}

function fitted(text: string, min: number, max: number): string {
  const points = Array.from(text.slice(0, 2 * Math.min(max, 4_096)).toWellFormed()).slice(0, max);
  if (points.length >= min) return points.join('');
  const missing = min - points.length;
  return points.join('') + FILLER.repeat(Math.ceil(missing / FILLER.length)).slice(0, missing);
}

/** A text of one of JSON Schema's formats; `undefined` for an unknown format, which constrains nothing. */
function formattedText(format: string, random: SeededRandom, min: number): string | undefined {
  const padding = 'x'.repeat(Math.min(40, Math.max(0, min - 19)));
  switch (format) {
    case 'date-time':
      return `${date(random)}T${time(random)}`;
    case 'date':
      return date(random);
    case 'time':
      return time(random);
    case 'duration':
      return `PT${1 + random.below(59)}M`;
    case 'email':
    case 'idn-email':
      return `sandbox${padding}@example.com`;
    case 'hostname':
    case 'idn-hostname':
      return `sandbox${padding}.example.com`;
    case 'ipv4':
      return `192.0.2.${1 + random.below(254)}`;
    case 'ipv6':
      return `2001:db8::${(1 + random.below(0xfffe)).toString(16)}`;
    case 'uuid':
      return uuid(random);
    case 'uri':
    case 'iri':
    case 'url':
      return `https://example.com/sandbox/${1 + random.below(999)}${padding}`;
    case 'uri-reference':
    case 'iri-reference':
    case 'json-pointer':
      return `/sandbox/${1 + random.below(999)}`;
    default:
      return undefined;
  }
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

function date(random: SeededRandom): string {
  return `2026-${twoDigits(1 + random.below(12))}-${twoDigits(1 + random.below(28))}`;
}

function time(random: SeededRandom): string {
  return `${twoDigits(random.below(24))}:${twoDigits(random.below(60))}:${twoDigits(random.below(60))}Z`;
}

/** In the format of RFC 9562, version 4. */
function uuid(random: SeededRandom): string {
  const hex = (digits: number): string => Array.from({ length: digits }, () => random.below(16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}
