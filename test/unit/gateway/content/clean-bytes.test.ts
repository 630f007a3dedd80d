import { globSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCleanJson } from '../../../../src/gateway/content/clean-bytes/clean-bytes.ts';
import { compileRedaction } from '../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames } from '../../../../src/gateway/content/redaction/rules.ts';

const redactor = compileRedaction({ detectors: detectorNames, customPatterns: [] });

/** Whether full redaction changes a document, which it does where it counts anything. */
function isChanged(json: string): boolean {
  return Object.keys(redactor.redactJson(JSON.parse(json)).counts).length > 0;
}

function expectNothingMissed(json: string): void {
  if (isCleanJson(Buffer.from(json))) expect(isChanged(json), json).toBe(false);
}

const chat = {
  id: 'chatcmpl-AbCdEf12345678GhIjKlMnOp',
  object: 'chat.completion',
  created: 1_764_327_600,
  model: 'gpt-4.1-mini-2025-04-14',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!\nHow may I "help"?' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, prompt_tokens_details: { cached_tokens: 0 } },
  system_fingerprint: 'fp_44709d6fcb',
};

/** What detectors find, what nearly is that, and what stands around it. */
const fragments = [
  'jane@example.com',
  'jane.doe@',
  '@',
  '+49 30 1234567',
  '+1',
  '(555) 234-5678',
  '555-234-5678',
  '030 1234 5678',
  '0049 30 123456',
  '5551234567',
  'phone: ',
  'Tel.',
  'mobile',
  'call my cell ',
  'fax no ',
  // Labels of 24 characters, of several bytes each.
  'telephone\u00a0number"\'\t:\n"\'',
  'whatsapp\u2003\u2003number"\n=\t""',
  '1234567',
  '12345678',
  '4111111111111111',
  '4111 1111 1111 1111',
  '4111-1111-1111',
  '378282246310005',
  '2025-04-14',
  '2025-04-14 10:20',
  'DE89370400440532013000',
  'DE89 3704 0044 0532 0130 00',
  'NO93 8601 1117 947',
  'at 10 ',
  'is 24 hours',
  'DE',
  'GB82\u00a0WEST\u00a01234\u00a05698\u00a07654\u00a032',
  '89',
  '370400440532013000',
  '192.168.0.1',
  '10.0.0',
  '.1',
  'fe80::1',
  '2001:db8:0:0:0:0:2:1',
  '::ffff:1.2.3.4',
  'a:b:c',
  '10:20:30',
  'std::map',
  'sk-abcdefghijklmnop1234',
  'sk-',
  'sk_live_abcdefghijkl',
  'whsec_abcdefghijkl1',
  'AKIAIOSFODNN7EXAMPLE',
  'ghp_abcdefghijklmnopqrstuv',
  'glpat-abcdefghijklmnopq',
  'xoxb-1234567890ab',
  'xapp-1234567890',
  'https://hooks.slack.com/services/T000/B000',
  'https://discord.com/api/webhooks/12/abcdefghij',
  'AIzaSyA1234567890abcdefghijklmnopqrstu',
  'ya29.a0AfH6SMBabcdefghijklm',
  'GOCSPX-abcdefghijklmnopqrst',
  'hf_abcdefghijklmnopqrstuv',
  'gsk_abcdefghijklmnopqrstuv',
  'r8_abcdefghijklmnopqrstuv',
  'dop_v1_abcdefghijklmnopqrst',
  'xai-abcdefghijklmnopqrstuv',
  'pplx-abcdefghijklmnopqrstuv',
  'SG.abcdefghijklmnop.abcdefghijklmnop',
  'eyJhbGciOi.eyJzdWIiOi.abcd',
  'abc1Q~abcdefghijklmnopqrstuvwxyz12345',
  'Bearer abcdefghijkl',
  'Authorization: Basic ',
  'dXNlcjpwYXNz',
  'AccountKey=abcdefghijklmnop',
  '?sig=abcdefghijklmnop',
  '&X-Amz-Signature=abcdefghijklmnop',
  '-----BEGIN PRIVATE KEY-----',
  'MIIE',
  '-----END PRIVATE KEY-----',
  'postgres://user:hunter22@host',
  'password',
  'Passwort',
  'passwd',
  'pwd',
  'secret',
  'api_key',
  'apiKey',
  'api key',
  'token',
  'tokens',
  'credentials',
  'max_tokens',
  ' = ',
  ': ',
  '=',
  '=>',
  '"',
  "'",
  '`',
  '\\',
  'hunter2x',
  'Tr0ub4dor&3',
  'a1b2c3d4e5f6',
  ' ',
  '\n',
  '\t',
  'data:image/png;base64,iVBORw0KGgo',
  'A'.repeat(64),
  'Ab1/'.repeat(300),
  '=',
  '+',
  '/',
  '(',
  ')',
  '-',
  '.',
  ',',
  '\u00a0',
  'may pass, and when',
  'the key to it',
  'a monkey',
  'é',
  '\u202f',
  '\u2011',
  '😀',
  '\u0000',
  '\u007f',
  '\u2028',
];
const names = [
  'phone',
  'Mobile',
  'fax_number',
  'whatsapp-number',
  'tel',
  'hotel',
  'password',
  'db_password',
  'apiKey',
  'token',
  'access_token',
  'max_tokens',
  'tokenCount',
  'authorization',
  'secret',
  'client_secret',
  'credentials',
  'data',
  'result',
  'content',
  'text',
  'role',
  'arguments',
  'id',
  'number',
  'phone number',
  '__proto__',
  '',
];

const text = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[\d +()./-]{0,24}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Z]{2}\d{2}[A-Z0-9 -]{8,30}$/) },
);
const number = fc.oneof(
  fc.integer(),
  fc.bigInt(0n, 10n ** 19n).map(Number),
  fc.constantFrom(4_111_111_111_111_111, 5_551_234_567, 4.2e15, 1e21, -5_551_234_567, 0.1),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: text },
    { weight: 2, arbitrary: number },
    { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 3, arbitrary: tie('object') },
    // JSON in a string.
    { weight: 1, arbitrary: tie('value').map((inner) => JSON.stringify(inner, null, 1)) },
  ),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...names), text), tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));

/** The same document with other white space and escapes. */
const spellings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => JSON.stringify(JSON.parse(json), null, 2),
  (json) => json.replaceAll('@', String.raw`\u0040`),
  (json) => json.replaceAll('/', String.raw`\/`),
  (json) => json.replaceAll(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  (json) => json.replaceAll(/(?<=\d)e\+?(?=\d)/g, 'E+'),
];

describe('the pass over the bytes of a body', () => {
  it('finds the longest label before a number, whatever its characters take', () => {
    for (const label of ['telephone\u00a0number"\'\t:\n"\'', 'whatsapp\u2003\u2003number"\n=\t""']) {
      const json = JSON.stringify({ text: `Call ${label}5551234567` });
      for (const document of [json, JSON.stringify({ json })]) {
        expect(isChanged(document)).toBe(true);
        expect(isCleanJson(Buffer.from(document))).toBe(false);
      }
    }
  });

  it('misses nothing that redaction changes in generated bodies', () => {
    fc.assert(
      fc.property(value, fc.nat(spellings.length - 1), (document, at) => {
        const json = JSON.stringify(document);
        expectNothingMissed(json);
        const spelled = (spellings[at] as (json: string) => string)(json);
        try {
          JSON.parse(spelled);
        } catch {
          // Letters of escapes and literals were replaced, too.
          return;
        }
        expectNothingMissed(spelled);
      }),
      { numRuns: Number(process.env.SLUICE_TEST_BODIES ?? 4_000) },
    );
  });

  it('misses nothing in recorded bodies, with anything that detectors find put in', () => {
    const files = globSync('test/fixtures/**/*.json');
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const json = readFileSync(file, 'utf8');
      expectNothingMissed(json);
      for (const fragment of fragments) expectNothingMissed(JSON.stringify({ ...chat, json, fragment }));
    }
  });

  it.each(fragments)('misses nothing in a response with %j', (fragment) => {
    for (const name of names) {
      const message = { role: 'assistant', content: `Well, ${fragment} it is.`, [name]: fragment, list: [fragment] };
      expectNothingMissed(JSON.stringify({ ...chat, choices: [{ index: 0, message }] }));
      expectNothingMissed(JSON.stringify({ [name]: [[fragment]], [fragment]: 1 }));
      expectNothingMissed(JSON.stringify({ arguments: JSON.stringify({ [name]: fragment }, null, 2) }));
    }
  });

  it('finds that usual bodies are clean', () => {
    const request = { model: 'gpt-4.1-mini', max_tokens: 16, messages: [{ role: 'user', content: 'Say hello.' }] };
    const prose =
      'The water rises slowly behind the gate, and whoever keeps it has to know how much may pass, and when.';
    for (const body of [chat, request, { ...request, messages: [{ role: 'user', content: prose.repeat(100) }] }])
      expect(isCleanJson(Buffer.from(JSON.stringify(body)))).toBe(true);
  });

  it('is false for escapes that could hide a character, also in JSON in a string', () => {
    for (const json of [
      String.raw`{"a":"jane\u0040example.com"}`,
      String.raw`{"a":"{\"b\":\"jane\\u0040example.com\"}"}`,
    ])
      expect(isCleanJson(Buffer.from(json))).toBe(false);
  });

  it('is certain of expressions only where something that each match contains is missing', () => {
    const rules = (pattern: string) => ({ detectors: detectorNames, customPatterns: [{ name: 'own', pattern }] });
    const ticket = compileRedaction(rules('T-[0-9]+'));
    expect(ticket.isClean(Buffer.from('{"text":"a ticket"}'))).toBe(true);
    expect(ticket.isClean(Buffer.from('{"text":"T-shirt"}'))).toBe(false);
    expect(ticket.isClean(Buffer.from('{"text":"jane@example.com"}'))).toBe(false);
    const any = compileRedaction(rules('[0-9]+'));
    expect([any.canBeClean, any.isClean(Buffer.from('{}'))]).toEqual([false, false]);
    expect([ticket.canBeClean, redactor.canBeClean]).toEqual([true, true]);
    // A text of this length is replaced without a search.
    const slow = compileRedaction(rules('T-[0-9]{300}'));
    expect(slow.isClean(Buffer.from(JSON.stringify('word '.repeat(1_000))))).toBe(true);
    expect(slow.isClean(Buffer.from(JSON.stringify('word '.repeat(100_000))))).toBe(false);
  });

  it.each(['T-[0-9]+', 'hunter', String.raw`\+1`, '555-2', 'a.c', 'fe80::1', '12345678', 'DE(?:89|90)', 'phone: ?'])(
    'misses nothing that the expression %s changes in generated bodies',
    (pattern) => {
      const own = compileRedaction({ detectors: detectorNames, customPatterns: [{ name: 'own', pattern }] });
      fc.assert(
        fc.property(value, fc.nat(spellings.length - 1), (document, at) => {
          const json = (spellings[at] as (json: string) => string)(JSON.stringify(document));
          try {
            JSON.parse(json);
          } catch {
            return;
          }
          if (own.isClean(Buffer.from(json))) expect(own.redactJson(JSON.parse(json)).counts, json).toEqual({});
        }),
        { numRuns: 1_000 },
      );
    },
  );

  it('reads a long text of names of secrets once, not once for each of them', () => {
    for (const word of ['token', 'secret', 'apikey', 'password'])
      expect(isCleanJson(Buffer.from(JSON.stringify({ text: word.repeat(1_000_000) })))).toBe(false);
  });

  it.each([46, 47, 48])('misses no media of %i bytes', (length) => {
    expectNothingMissed(JSON.stringify({ data: Buffer.alloc(length, 'ab?').toString('base64') }));
  });

  it('finds media at any place', () => {
    for (let length = 0; length <= 130; length += 1)
      for (const encoded of ['A'.repeat(64), `${'Ab1/'.repeat(15)}A+==`]) {
        const json = JSON.stringify({ text: '-'.repeat(length % 40) + ' '.repeat(length), data: encoded });
        expect(isChanged(json)).toBe(true);
        expect(isCleanJson(Buffer.from(json)), json).toBe(false);
      }
  });

  it('finds secrets at the start of a line, and not within words', () => {
    for (const key of [
      'sk-abcdefghijklmnop1234',
      'r8_abcdefghijklmnopqrstuv',
      'rk_live_abcdefghijkl',
      'xoxb-1234567890',
    ]) {
      for (const json of [JSON.stringify({ text: `Keys:\n${key}` }), JSON.stringify({ text: `\t${key}\n` })]) {
        expect(isChanged(json)).toBe(true);
        expect(isCleanJson(Buffer.from(json))).toBe(false);
        expect(isCleanJson(Buffer.from(JSON.stringify({ json })))).toBe(false);
      }
    }
    const words = 'a task-oriented-approach to risk-management-systems, and tasks-of-those-who-do-npm-installations';
    expect(isCleanJson(Buffer.from(JSON.stringify({ text: words })))).toBe(true);
  });

  it('finds that many values are clean which are not nested, and digits before letters in a text', () => {
    const messages = Array.from({ length: 1_000 }, () => ({ role: 'user', content: [{ text: 'in 3e' }] }));
    expect(isCleanJson(Buffer.from(JSON.stringify({ messages })))).toBe(true);
    expect(isCleanJson(Buffer.from('{"number":3e15}'))).toBe(false);
  });

  it('is false for values that are nested deeply, which redaction replaces', () => {
    const nested = `${'['.repeat(600)}${']'.repeat(600)}`;
    expect(isChanged(nested)).toBe(true);
    for (const json of [nested, JSON.stringify(nested), JSON.stringify({ a: JSON.parse(nested) })])
      expect(isCleanJson(Buffer.from(json))).toBe(false);
  });
});
