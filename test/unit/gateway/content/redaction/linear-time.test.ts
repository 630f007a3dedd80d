import { describe, expect, it } from 'vitest';
import { patternsFault } from '../../../../../src/gateway/content/redaction/custom-pattern.ts';
import { compileRedaction } from '../../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames, type CustomPattern } from '../../../../../src/gateway/content/redaction/rules.ts';

/** Parts that, repeated, lead each detector to begin again and again, and to fail late. */
const parts: readonly string[] = [
  'a@',
  '@',
  'a.',
  'a@a.',
  '1',
  '12 ',
  '1.',
  '+1',
  '(1',
  '00',
  '0 1',
  '4111 ',
  '41',
  '123-',
  '1:',
  'a:',
  '::',
  'DE89 ',
  'DE89',
  '255.',
  'sk-',
  'sk-a',
  'eyJ',
  'eyJaaaaaaa.',
  'a.eyJaaaaaa',
  'password=',
  'password',
  'token: ',
  'secret"',
  'api_key',
  'Bearer ',
  'Bearer a',
  'authorization: basic ',
  'sig=',
  '?sig=',
  'a://',
  'a:a@',
  'x://y:',
  'AKIA',
  'ghp_',
  'xox',
  'xoxb-',
  'SG.',
  '1Q~',
  '-',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  '-----BEGIN ',
  'data:',
  'data:a/b;base64,',
  'data:a/b;c=d',
  ';base64,',
  '{',
  '{"a":',
  '[',
  '\\',
  '\\"',
  '"',
  ' ',
  'aaaaaaaa',
  'phone: ',
  'ä',
  '😀',
  'https://hooks.slack.com/',
  'discord.com/api/webhooks/',
  'AAAA',
];
const SHORT = 8_000;
const GROWTH = 16;
/** Linear growth is 16, quadratic 256. */
const MAX_GROWTH = 80;

/** The CPU time of the fastest of several runs, in microseconds. */
function cpuTime(run: () => void): number {
  let fastest = Infinity;
  for (let again = 0; again < 4; again += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    fastest = Math.min(fastest, user + system);
  }
  return fastest;
}

describe('the time of redaction', () => {
  const redactor = compileRedaction({
    detectors: detectorNames,
    customPatterns: [{ name: 'nested', pattern: '(a+)+\\$' }],
  });

  it('grows with the length of the text only, whatever the text', () => {
    const texts = (length: number) =>
      parts.map((part) => part.repeat(Math.ceil(length / part.length)).slice(0, length));
    const [short, long] = [texts(SHORT), texts(SHORT * GROWTH)];
    const grew = parts.flatMap((part, at) => {
      const once = cpuTime(() => redactor.redactJson({ content: short[at] }));
      const more = cpuTime(() => redactor.redactJson({ content: long[at] }));
      // Below 1 ms the resolution of the clock decides.
      return more > MAX_GROWTH * Math.max(once, 1_000) ? [`${part}: ${once} to ${more} µs`] : [];
    });
    expect(grew).toEqual([]);
  });
});

describe('custom patterns', () => {
  const faultOf = (pattern: CustomPattern) => patternsFault([pattern])?.reason;

  it.each([
    ['[', 'missing closing ]'],
    ['(a)\\1', 'invalid escape'],
    ['(?:a{1,1000}){1,1000}', 'expression too large'],
    ['(?:abcdefgh){1,100}', 'is too large'],
    ['a*', 'must not match empty text'],
    ['', '1 to 256 characters'],
    ['a'.repeat(257), '1 to 256 characters'],
  ])('of %s are refused with the reason', (pattern, reason) => {
    expect(faultOf({ name: 'mine', pattern })).toContain(reason);
  });

  it.each(['', 'Email', 'email', 'a b', 'x'.repeat(41)])('named %j are refused', (name) => {
    expect(faultOf({ name, pattern: 'a' })).toContain('name must');
  });

  it('are accepted in the syntax of RE2', () => {
    expect(patternsFault([{ name: 'ticket', pattern: '(?i)\\bticket-\\d{4,8}\\b' }])).toBeNull();
  });

  it('are at most 20, each with a name of its own', () => {
    const patterns = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `n${at}`, pattern: 'a' }));
    expect(patternsFault(patterns(20))).toBeNull();
    expect(patternsFault(patterns(21))).toMatchObject({ index: 20, reason: 'there can be 20 patterns at most' });
    expect(patternsFault([...patterns(2), { name: 'n0', pattern: 'b' }])).toMatchObject({ index: 2 });
  });
});
