import { expect, it } from 'vitest';
import { z } from 'zod';
import { lanes } from '../browser/product.ts';
import { describeInBrowser } from '../browser/stage.ts';
import { settled } from '../harness/chromium.ts';
import { medianOf } from './median.ts';

const MAX_TASK_MS = 1_000;

/** As text: the page keeps the durations of tasks that blocked it for more than 50 ms. */
const watchLongTasks = `globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ entryTypes: ['longtask'] });`;

describeInBrowser('the comparator', (stage) => {
  it('is not blocked for long while eight long answers stream', async () => {
    const { page } = stage.visitor;
    const longest = await medianOf(async () => {
      await page.goto(`/compare?kind=CHAT&models=${encodeURIComponent(JSON.stringify(lanes))}`);
      await settled(page);
      await page.getByLabel('Prompt').fill('Tell a story about the sea in 1200 words.');
      await page.getByRole('button', { name: 'Compare 8 models' }).click();
      await expect.poll(() => page.getByText('tokens/s').count()).toBe(lanes.length);
      // From here on the page does nothing but stream.
      await page.evaluate(watchLongTasks);
      await page.getByRole('button', { name: 'Stop all' }).waitFor({ state: 'detached' });
      return Math.max(0, ...z.array(z.number()).parse(await page.evaluate('longTasks')));
    });
    expect(longest).toBeLessThan(MAX_TASK_MS);
  });
});
