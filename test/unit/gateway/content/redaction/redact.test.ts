import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRedaction } from '../../../../../src/gateway/content/redaction/redact.ts';
import { redactorOf } from '../../../../../src/gateway/content/redaction/redaction-engine.ts';
import { detectorNames } from '../../../../../src/gateway/content/redaction/rules.ts';

const redactor = compileRedaction({
  detectors: detectorNames,
  customPatterns: [{ name: 'ticket', pattern: 'TICKET-[0-9]{4,8}' }],
});
const secret = 'jane.doe@example.com';

describe('redaction of a document', () => {
  it('reaches every text and name, and shares what does not change', () => {
    const untouched = { role: 'system', content: 'Be brief.' };
    const document = {
      model: 'gpt-5',
      messages: [untouched, { role: 'user', content: [{ type: 'text', text: `I am ${secret}.` }] }],
      metadata: { [secret]: 'TICKET-12345', 'joe@example.com': 1 },
      card: 4_111_111_111_111_111,
    };
    const { value, counts } = redactor.redactJson(document);
    expect(value).toEqual({
      model: 'gpt-5',
      messages: [untouched, { role: 'user', content: [{ type: 'text', text: 'I am [redacted:email].' }] }],
      metadata: { '[redacted:email]': '[redacted:ticket]', '[redacted:email] 2': 1 },
      card: '[redacted:card]',
    });
    expect(counts).toEqual({ email: 3, ticket: 1, card: 1 });
    expect((value as typeof document).messages[0]).toBe(untouched);
    expect(document.metadata).toHaveProperty([secret]);
  });

  it('returns the same document where nothing is found', () => {
    const document = { a: ['b', { c: 1, d: null, e: true }], f: '{"x": 1}', g: '' };
    expect(redactor.redactJson(document)).toEqual({ value: document, counts: {} });
    expect(redactor.redactJson(document).value).toBe(document);
  });

  it('redacts JSON in a string, such as arguments of a tool call, and leaves it JSON', () => {
    const inner = JSON.stringify({ query: `say "hi" to ${secret}`, list: ['\u0000', 2] });
    const text = JSON.stringify({ to: 'jane\\u0040example.com', inner }).replace('\\\\u0040', '\\u0040');
    const { value } = redactor.redactJson({ function: { name: 'mail', arguments: text } });
    const redacted = JSON.parse((value as { function: { arguments: string } }).function.arguments) as {
      to: string;
      inner: string;
    };
    expect(redacted.to).toBe('[redacted:email]');
    expect(JSON.parse(redacted.inner)).toEqual({ query: 'say "hi" to [redacted:email]', list: ['\u0000', 2] });
  });

  it('takes members by their names for secrets and telephone numbers', () => {
    const document = {
      password: 'correct horse',
      apiKey: '9f8e7d6c5b4a',
      phone: '5552345678',
      properties: { password: {} },
    };
    expect(redactor.redactJson(document).value).toEqual({
      password: '[redacted:secret]',
      apiKey: '[redacted:secret]',
      phone: '[redacted:phone]',
      properties: { password: {} },
    });
  });

  it('replaces media by type, size and hash', () => {
    const bytes = Buffer.from(Array.from({ length: 1_500 }, (_, at) => at % 251));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const encoded = bytes.toString('base64');
    const document = {
      image_url: { url: `data:image/png;base64,${encoded}` },
      input_audio: { data: encoded, format: 'wav' },
      source: { type: 'base64', media_type: 'image/jpeg', data: encoded },
      text: `![a](data:image/gif;base64,${encoded}) b`,
    };
    const { value, counts } = redactor.redactJson(document);
    const reference = (type: string) => `[media:${type}; 1500 bytes; sha256:${sha256}]`;
    expect(value).toEqual({
      image_url: { url: reference('image/png') },
      input_audio: { data: reference('wav'), format: 'wav' },
      source: { type: 'base64', media_type: 'image/jpeg', data: reference('image/jpeg') },
      text: `![a](${reference('image/gif')}) b`,
    });
    expect(counts).toEqual({ media: 4 });
  });

  it('replaces what is nested too deeply to be read', () => {
    let document: unknown = secret;
    for (let depth = 0; depth < 50_000; depth += 1) document = [document];
    const { counts } = redactor.redactJson(document);
    expect(counts).toEqual({ nesting: 1 });
  });

  it('is compiled once for rules that do not change', () => {
    const rules = { detectors: [], customPatterns: [{ name: 'a', pattern: 'a+' }] };
    expect(redactorOf(rules)).toBe(redactorOf(rules));
    expect(redactorOf({ ...rules })).not.toBe(redactorOf(rules));
    expect(redactorOf(rules).redactText('baa').text).toBe('b[redacted:a]');
  });

  it('keeps a member called __proto__ a member', () => {
    const document: unknown = JSON.parse(`{"__proto__": {"a": "${secret}"}}`);
    const { value } = redactor.redactJson(document);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":"[redacted:email]"}}');
  });
});

describe('properties of redaction', () => {
  const marks = [
    secret,
    '4111 1111 1111 1111',
    'DE89 3704 0044 0532 0130 00',
    `sk-proj-${'a1B2'.repeat(8)}`,
    '+49 30 1234567',
    '192.168.17.23',
    'TICKET-987654',
  ];
  /** Text of a document around the mark: words, so that no letter touches it. */
  const words = fc.array(fc.constantFrom('hello', 'world,', 'über', '你好', '"quoted"', '(x)', '\\'), { maxLength: 4 });
  const marked = fc
    .tuple(words, fc.constantFrom(...marks), words)
    .map(([before, mark, after]) => [...before, mark, ...after].join(' '));
  const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      marked,
      fc.constantFrom(null, true, 7, 'plain'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom('content', 'text', 'arguments', 'name'), marked), tie('value'), {
        maxKeys: 4,
      }),
      tie('value').map((value) => JSON.stringify(value)),
    ),
  }));

  it('leaves no mark in any position', () => {
    fc.assert(
      fc.property(anyJson, (document) => {
        const text = JSON.stringify(redactor.redactJson(document).value);
        for (const mark of marks) expect(text).not.toContain(mark);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves none of a text that was joined of parts, wherever it was split', () => {
    fc.assert(
      fc.property(marked, fc.array(fc.nat(80), { maxLength: 5 }), (text, cuts) => {
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
        const parts = places.slice(1).map((end, at) => text.slice(places[at], end));
        const { text: redacted } = redactor.redactText(parts.join(''));
        for (const mark of marks) expect(redacted).not.toContain(mark);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyJson, (document) => {
        const { value } = redactor.redactJson(document);
        expect(redactor.redactJson(value)).toEqual({ value, counts: {} });
      }),
    );
  });

  it('keeps the shape of a document', () => {
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value !== 'object' || value === null) return null;
      return Object.values(value).map(shape);
    };
    fc.assert(
      fc.property(anyJson, (document) => {
        expect(shape(redactor.redactJson(document).value)).toEqual(shape(document));
      }),
    );
  });
});
