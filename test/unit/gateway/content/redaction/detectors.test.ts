import { describe, expect, it } from 'vitest';
import { compileRedaction } from '../../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames, type DetectorName } from '../../../../../src/gateway/content/redaction/rules.ts';

const all = compileRedaction({ detectors: detectorNames, customPatterns: [] });

/** What each detector finds, as it stands in a text: the part between the marks. */
const found: Readonly<Record<DetectorName, readonly string[]>> = {
  email: [
    'write to «jane.doe+news@mail.example.co.uk».',
    '<«jane@example.com»>, «joe@example.org»;',
    "mailto:«o'brien@example.ie»",
    '«müller@bücher.example»',
    '"«x@sub.xn--p1ai»"',
  ],
  phone: [
    'call «+1 (555) 234-5678» now',
    '«+49 30 1234567», «+442079460958»',
    '«+33 1 23 45 67 89»',
    'from «0049 30 1234567»',
    '«(555) 234-5678» or «555-234-5678» or «555.234.5678»',
    '«1-800-234-5678»',
    '«030 1234567», «0171/1234567», «020 7946 0958»',
    '«01 23 45 67 89»',
    'phone: «5552345678»',
    'Tel.: «12345678»',
  ],
  card: [
    'pay with «4111 1111 1111 1111», please',
    '«4111111111111111»',
    '«5555-5555-5555-4444»',
    '«378282246310005»',
    '«3782 822463 10005»',
    '«6011111111111117»',
    'card:«4111111111111111»,exp 12/27',
    'card_«4111111111111111»',
  ],
  iban: [
    'to «DE89 3704 0044 0532 0130 00» today',
    '«GB82WEST12345698765432»',
    '«MT84MALT011000012345MTLCAST001S»',
    '«fr14 2004 1010 0505 0001 3m02 606».',
  ],
  ip: [
    'from «192.168.1.10», port 80',
    '«10.0.0.1»:8080',
    '«2001:db8::8a2e:370:7334»',
    '[«fe80::1»]',
    '«::1» and «::ffff:192.0.2.1»',
  ],
  secret: [
    `key «sk-sluice-${'Ab1'.repeat(13)}»`,
    `«sk-proj-${'x_9-'.repeat(10)}», «sk-ant-api03-${'q7'.repeat(20)}»`,
    '«AKIAIOSFODNN7EXAMPLE»',
    `«ghp_${'a1B2'.repeat(9)}» «github_pat_${'a1B2'.repeat(9)}»`,
    '«xoxb-123456789012-abcdefABCDEF»',
    `«AIza${'Sy_1-'.repeat(7)}»`,
    '«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»',
    'Authorization: Bearer «abcdef0123456789»',
    'authorization: Basic «dXNlcjpwYXNzd29yZA==»',
    '«https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX»',
    'AccountName=a;AccountKey=«abcdEFGH0123456789+/abcdEFGH==»',
    'https://x.example/blob?sv=1&sig=«abcdEFGH0123456789%2Babcd%3D»',
    'postgres://app:«s3cr3t»@db.internal/app',
    'password=«hunter2»',
    "DB_PASSWORD='«correct-horse»'",
    'api_key: «9f8e7d6c5b4a»',
    '{\\"password\\": \\"«hunter2x»\\"}',
    'aws_secret_access_key = «wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY»',
    '«-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----» after',
    '«-----BEGIN PRIVATE KEY-----\nMIIE without an end»',
  ],
};

/** Texts that resemble them. */
const clean: readonly string[] = [
  'the @decorator and user@localhost and a@b',
  'npm install @scope/package@1.2.3',
  'on 2026-11-27 at 10:30:00, or 27.11.2026 10:30',
  'order 1234567890123, invoice 20261127001',
  'the numbers 1 2 3 4 5 6 7 8 9 10 11 12 13 14',
  '3.14159265358979 and 0.00012345678',
  'id 550e8400-e29b-41d4-a716-446655440000',
  'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '4111 1111 1111 1112 has a wrong check digit',
  'DE89 3704 0044 0532 0130 01 has a wrong checksum',
  '256.1.1.1 and 1.2.3',
  'std::vector and Abc::def at 12:30:45',
  'max_tokens: 4096, token: the, tokens=12345',
  'password: required, api_key: ${API_KEY}, secret = process.env.SECRET',
  'task-management-and-other-things',
  'the secret of a good password is its length',
  'between 1,000,000 and 2,000,000',
];

describe('each detector', () => {
  for (const name of detectorNames)
    it(`replaces what it finds of ${name}, and nothing around it`, () => {
      const only = compileRedaction({ detectors: [name], customPatterns: [] });
      for (const marked of found[name]) {
        const expected = marked.replaceAll(/«[^»]*»/gs, `[redacted:${name}]`);
        const matches = marked.match(/«/g)?.length;
        expect(only.redactText(marked.replaceAll(/[«»]/g, ''))).toEqual({
          text: expected,
          counts: { [name]: matches },
        });
      }
    });

  it('finds nothing in texts that only resemble its own', () => {
    for (const text of clean) expect(all.redactText(text)).toEqual({ text, counts: {} });
  });

  it('finds what is next to something else', () => {
    expect(all.redactText('jane@example.com 4111 1111 1111 1111 +49 30 1234567 10.1.2.3')).toEqual({
      text: '[redacted:email] [redacted:card] [redacted:phone] [redacted:ip]',
      counts: { email: 1, card: 1, phone: 1, ip: 1 },
    });
  });

  it('leaves replacements as they are', () => {
    const { text } = all.redactText(
      Object.values(found)
        .flat()
        .join('\n')
        .replaceAll(/[«»]/g, ''),
    );
    expect(all.redactText(text)).toEqual({ text, counts: {} });
  });
});
