import { z } from 'zod';
import { nearest } from '../catalogue/nearest-name.ts';

/** Names of zod's types in error messages. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Error message of a value; undefined to use zod's message. */
export const faultText: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownMembers(issue.keys, issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []);
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_format':
      if (issue.format === 'url') return 'must be a URL that begins with http:// or https://';
      return issue.format === 'email' ? 'must be an e-mail address' : undefined;
    default:
      return undefined;
  }
};

/** One line per issue: its path and message. */
export function faultLines(issues: readonly z.core.$ZodIssue[]): string[] {
  return issues.map((issue) => {
    const [path, message] = innermost(issue);
    return `${path.map(String).join('.') || 'the document'}: ${message}`;
  });
}

/** Path and message of the most specific issue: in a union, of the variant that the value resembles. */
function innermost(issue: z.core.$ZodIssue): [path: PropertyKey[], message: string] {
  if (issue.code === 'invalid_key' && issue.issues[0]) return [issue.path, issue.issues[0].message];
  if (issue.code !== 'invalid_union') return [issue.path, issue.message];
  const meant = issue.errors.map(([first]) => first).find((first) => first !== undefined && !isOtherVariant(first));
  if (meant === undefined) {
    const forms = issue.errors.flatMap(([first]) => (first ? [first.message.replace(/^must be /, '')] : []));
    return [issue.path, `must be ${forms.join(' or ')}`];
  }
  const [path, message] = innermost(meant);
  return [[...issue.path, ...path], message];
}

function isOtherVariant(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

function unknownMembers(unknown: readonly string[], known: readonly string[]): string {
  const names = unknown.map((name) => {
    const like = nearest(name, known);
    return `${name}${like === undefined ? '' : ` (did you mean ${like}?)`}`;
  });
  return `unknown ${unknown.length === 1 ? 'member' : 'members'} ${names.join(', ')}; allowed: ${known.join(', ')}`;
}

function bound(origin: string, word: string, limit: number | bigint): string {
  if (origin === 'string') return `must have ${word} ${limit} characters`;
  if (origin === 'array') return `must have ${word} ${limit} entries`;
  return `must be ${word} ${limit}`;
}
