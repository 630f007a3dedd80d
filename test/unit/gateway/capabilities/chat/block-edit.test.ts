import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { BlockEdit } from '../../../../../src/gateway/capabilities/chat/stream/delta-suffix-matcher.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  /** Null where the part is only cut. */
  readonly text: string | null;
}

const text = fc.string({ minLength: 1, maxLength: 60, unit: 'binary-ascii' });
const edits = fc
  .tuple(
    text,
    fc.uniqueArray(fc.nat(60), { maxLength: 12 }),
    fc.array(fc.option(fc.string({ maxLength: 20, unit: 'binary-ascii' })), { minLength: 6, maxLength: 6 }),
  )
  .map(([whole, offsets, texts]) => {
    const at = offsets.filter((offset) => offset <= whole.length).toSorted((a, b) => a - b);
    const list: Edit[] = [];
    for (let i = 0; i + 1 < at.length; i += 2)
      list.push({ start: at[i] ?? 0, end: at[i + 1] ?? 0, text: texts[i / 2] ?? null });
    return { whole, list };
  });

it('edits a buffer like a string, whether or not insertions fit', () => {
  fc.assert(
    fc.property(edits, fc.nat(10), ({ whole, list }, left) => {
      const edit = new BlockEdit(Buffer.from(whole, 'latin1'));
      let [expected, copied] = ['', 0];
      for (const { start, end, text: inserted } of list) {
        if (inserted === null) edit.cut(start, end);
        else edit.replace(start, end, inserted);
        expected += whole.slice(copied, start) + (inserted ?? '');
        copied = end;
      }
      const at = Math.max(copied, whole.length - left);
      expect(edit.end(at).toString('latin1')).toBe(expected + whole.slice(copied, at));
    }),
  );
});
