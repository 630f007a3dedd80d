import { describe, expect, it } from 'vitest';
import { jsonLines } from '../../../../../src/providers/shared/batches/json-lines.ts';

const MAX_BYTES = 20_000;
const long = 'x'.repeat(MAX_BYTES);
const tooLong = { isTooLong: true };

/** The lines of a file that arrives in pieces of this length. */
async function read(text: string, length: number): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Buffer, void> {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }
  const found: unknown[] = [];
  for await (const line of jsonLines(pieces(), tooLong, { maxLineBytes: MAX_BYTES })) found.push(line);
  return found;
}

describe('the lines of a file of results', () => {
  it.each([1, 7, 5_000, 1_000_000])(
    'are objects, also the last without a newline, in pieces of %i bytes',
    async (length) => {
      expect(await read('{"a":1}\n\nno JSON\n[2]\n{"ü":"\\n"}', length)).toEqual([{ a: 1 }, { ü: '\n' }]);
    },
  );

  it.each([7, 5_000, 1_000_000])('are named only where they are too long, in pieces of %i bytes', async (length) => {
    const lines = [
      { custom_id: 'first', body: { text: `"custom_id":"in a text" ${long}` } },
      { custom_id: 'short' },
      { body: long, custom_id: 'l"ast' },
      { body: long },
      { custom_id: 'end', body: long },
    ];
    expect(await read(lines.map((line) => JSON.stringify(line)).join('\n'), length)).toEqual([
      { custom_id: 'first', ...tooLong },
      { custom_id: 'short' },
      { custom_id: 'l"ast', ...tooLong },
      { custom_id: 'end', ...tooLong },
    ]);
  });

  it('are named by the member that the provider names them by', async () => {
    async function* file(): AsyncGenerator<Buffer, void> {
      yield Buffer.from(JSON.stringify({ custom_id: 'other', key: 'one', response: long }));
    }
    const found: unknown[] = [];
    for await (const line of jsonLines(file(), tooLong, { idName: 'key', maxLineBytes: MAX_BYTES })) found.push(line);
    expect(found).toEqual([{ key: 'one', ...tooLong }]);
  });
});
