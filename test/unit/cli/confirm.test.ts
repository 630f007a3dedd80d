import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { confirm } from '../../../src/cli/secrets/confirm.ts';

const given = (text: string) =>
  confirm('Discard?', 'discard', { input: new PassThrough().end(text), output: new PassThrough() });

it('confirms by the word alone', async () => {
  expect(await given(' discard \n')).toBe(true);
  expect(await given('yes\n')).toBe(false);
  expect(await given('\n')).toBe(false);
});

it('does not confirm where the input ends without an answer', async () => {
  expect(await given('')).toBe(false);
});
