import { expect, it } from 'vitest';
import { pieces } from '../harness/fake-provider.ts';
import { answerOf } from '../unit/providers/gemini/ask.ts';
import { readThroughSluice } from '../unit/providers/replay.ts';
import { medianOf, millisecondsOf } from './median.ts';

const asked = { provider: 'gemini', basePath: '/v1beta', model: 'gemini-3-pro-preview' };

it('a stream of many small events takes a time that grows no faster than it does', async () => {
  const event = JSON.stringify({ candidates: [{ content: { parts: [{ text: 'word ' }] }, index: 0 }] });
  const ending = `data: ${JSON.stringify(answerOf([]))}\n\n`;
  const milliseconds = async (events: number): Promise<number> => {
    const script = pieces([`data: ${event}\n\n`.repeat(events), ending], 'end');
    return millisecondsOf(async () => {
      const result = await readThroughSluice({ ...asked, script, streamed: true });
      expect(result.text).toHaveLength(events * 5);
    });
  };
  const few = await medianOf(() => milliseconds(4_000));
  const many = await medianOf(() => milliseconds(32_000));
  expect(many).toBeLessThan(few * 8 * 4);
});
