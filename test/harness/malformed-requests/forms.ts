import { array, constantFrom, integer, oneof, sample, string, tuple, type Arbitrary } from 'fast-check';
import { odd, SEED } from './generate.ts';

/** A part of a form, as its wrong ones are made of it. */
export interface TemplatePart {
  readonly name: string;
  /** Absent for a text. */
  readonly filename?: string;
  readonly content: string;
}

export interface MalformedForm {
  readonly contentType: string;
  readonly body: Buffer;
}

const BOUNDARY = 'boundary-of-a-form';

const oddTexts: Arbitrary<string> = oneof(
  constantFrom(
    '',
    '\0',
    '\ufeff',
    '../../etc/passwd',
    'C:\\a\\b',
    '👩‍👩‍👧‍👦',
    '__proto__',
    'a\r\nb: c',
    '%00',
    'x'.repeat(2_000),
  ),
  string(),
  odd.map((value) => (JSON.stringify(value) ?? '').slice(0, 2_000)),
);

type Change = readonly [at: number, text: string, kind: 'name' | 'filename' | 'content' | 'remove' | 'double' | 'text'];

function changed(template: readonly TemplatePart[], changes: readonly Change[]): TemplatePart[] {
  const parts = [...template];
  for (const [at, text, kind] of changes) {
    const index = at % (parts.length || 1);
    const part = parts[index];
    if (part === undefined) continue;
    const { filename: _filename, ...asText } = part;
    if (kind === 'remove') parts.splice(index, 1);
    else if (kind === 'double') parts.push(part);
    else parts[index] = kind === 'text' ? asText : { ...part, [kind]: text };
  }
  return parts;
}

/** Names are written as they are: a quote ends one early. */
function render(parts: readonly TemplatePart[]): string {
  const written = parts.map(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\ncontent-type: application/octet-stream`;
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return `${written.join('')}--${BOUNDARY}--\r\n`;
}

const usual = `multipart/form-data; boundary=${BOUNDARY}`;
const contentTypes = constantFrom(
  'multipart/form-data',
  'multipart/form-data; boundary=another',
  'multipart/form-data; boundary=""',
  'multipart/mixed; boundary=a',
  'application/json',
  'text/plain',
);

/** Forms of a route, most of them wrong; the same each time. */
export function malformedForms(template: readonly TemplatePart[], count: number): MalformedForm[] {
  const kinds = constantFrom<Change[2]>('name', 'filename', 'content', 'content', 'remove', 'double', 'text');
  const changes = array(tuple(integer({ min: 0, max: 100 }), oddTexts, kinds), { maxLength: 4 });
  const texts = changes.map((all) => render(changed(template, all)));
  const place = integer({ min: 0, max: 10_000 });
  const cut = tuple(texts, place).map(([text, at]) => text.slice(0, at % (text.length + 1)));
  const stuffed = tuple(texts, place, oddTexts).map(([text, at, more]) => {
    const index = at % (text.length + 1);
    return text.slice(0, index) + more + text.slice(index);
  });
  const forms = oneof(
    { weight: 20, arbitrary: tuple(texts, constantFrom(usual)) },
    { weight: 3, arbitrary: tuple(oneof(cut, stuffed), constantFrom(usual)) },
    { weight: 1, arbitrary: tuple(texts, contentTypes) },
    { weight: 1, arbitrary: tuple(oddTexts, constantFrom(usual)) },
  ).map(([text, contentType]) => ({ contentType, body: Buffer.from(text) }));
  return sample(forms, { numRuns: count, seed: SEED });
}
