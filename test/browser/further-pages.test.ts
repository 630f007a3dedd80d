import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { drawn, settled } from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

const operationForm = z.looseObject({
  operationName: z.string(),
  variables: z.looseObject({ after: z.string().nullish() }).optional(),
});
const answerForm = z.looseObject({
  data: z.record(z.string(), z.looseObject({ pageInfo: z.looseObject({}) })),
});

describeInBrowser('a further page that fails', (stage) => {
  beforeAll(async () => {
    const openai = new OpenAI({ baseURL: `${stage.account.url}/v1`, apiKey: stage.account.apiKey });
    await openai.embeddings.create({ model: 'sandbox/embedding', input: 'a' });
  });

  it.each([
    ['/models', 'ModelList'],
    ['/audit', 'AuditLog'],
    ['/billing/usage', 'UsageLogPage'],
  ])('of %s is requested once, and again when the user retries', async (path, operation) => {
    const { page } = stage.visitor;
    const asked = await withFailingPages(page, operation);
    await page.goto(path);
    await page.getByRole('alert').waitFor();
    await settled(page);
    expect(asked()).toBe(1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(asked).toBe(2);
    await page.getByRole('alert').waitFor();
    // Includes requests that an effect would send after this response.
    await drawn(page);
    expect(asked()).toBe(2);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

/** Announces a second page of the operation, which then fails. @returns how often it was requested */
async function withFailingPages(page: Page, operation: string): Promise<() => number> {
  let asked = 0;
  await page.route('**/graphql', async (route) => {
    const { operationName, variables } = operationForm.parse(route.request().postDataJSON());
    if (operationName !== operation) {
      await route.fallback();
      return;
    }
    if (variables?.after != null) {
      asked += 1;
      await route.abort();
      return;
    }
    const response = await route.fetch();
    const json = answerForm.parse(await response.json());
    for (const { pageInfo } of Object.values(json.data))
      Object.assign(pageInfo, { hasNextPage: true, endCursor: 'further' });
    await route.fulfill({ response, json });
  });
  return () => asked;
}
