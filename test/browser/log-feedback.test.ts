import { expect, it } from 'vitest';
import { settled } from '../harness/chromium.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('feedback in Usage Logs', (stage) => {
  const ids: string[] = [];

  async function post(path: string, body: object): Promise<Response> {
    return fetch(`${stage.account.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  it('is given, shown, changed and deleted in the details of a request', async () => {
    for (const model of ['sandbox/chat', 'quick']) {
      const response = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });
      await response.text();
      await stage.logged(response);
      ids.push(response.headers.get('x-request-id') ?? '');
    }
    const said = { request_id: ids[0], name: 'accuracy', value: 0.75, comment: 'Checked against the source.' };
    expect((await post('/v1/feedback', said)).ok).toBe(true);
    const { page } = stage.visitor;
    await page.goto(`/billing/usage?requestId=${ids[0]}`);
    await page.getByRole('table', { name: 'Requests', exact: true }).locator('[data-index]').click();
    const section = page.getByRole('dialog').getByRole('region', { name: 'Feedback' });
    const given = section.getByRole('listitem');
    await given.getByText('Checked against the source.').waitFor();
    await given.getByText('0.75').waitFor();
    await given.getByText(/^accuracy, /).waitFor();
    await section.getByRole('button', { name: 'Bad' }).click();
    await given.getByRole('img', { name: 'Bad' }).waitFor();
    await section.getByLabel('Comment').fill('Wrong year.');
    await section.getByRole('button', { name: 'Save comment' }).click();
    await given.getByText('Wrong year.').waitFor();
    await section.getByRole('button', { name: 'Good' }).click();
    await given.getByRole('img', { name: 'Good' }).waitFor();
    expect(await given.count()).toBe(2);
    await section.locator('button[aria-pressed=true]').getByText('Good').waitFor();
    await given.getByText('Wrong year.').waitFor();
    await section.scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-feedback');
    await given.first().getByRole('button', { name: 'Delete feedback' }).click();
    await given.getByText('Checked against the source.').waitFor({ state: 'detached' });
    expect(await given.count()).toBe(1);
    // Nothing that was saved is warned of.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('filters requests and is a column of theirs', async () => {
    const { page } = stage.visitor;
    expect((await post('/v1/feedback', { request_id: ids[1], value: false })).ok).toBe(true);
    await page.goto('/billing/usage?columns=time,model,feedback,cost');
    const table = page.getByRole('table', { name: 'Requests', exact: true });
    await page.getByText('2 entries', { exact: true }).waitFor();
    await table.getByRole('img', { name: 'Good' }).waitFor();
    await table.getByRole('img', { name: 'Bad' }).waitFor();
    await page.getByLabel('Feedback', { exact: true }).and(page.locator('select')).selectOption('bad');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await table.getByRole('img', { name: 'Bad' }).waitFor();
    expect(page.url()).toContain('feedback=bad');
    await page.getByRole('group', { name: 'Totals' }).getByText('1 request', { exact: true }).waitFor();
    await expectReadable(page, 'log-feedback-column');
  });

  it('has means by model, route and key', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage');
    const means = page.getByRole('region', { name: 'Feedback' });
    await means.getByRole('row', { name: 'sandbox/chat feedback 2 0.5' }).waitFor();
    await means.getByRole('button', { name: 'By route' }).click();
    await means.getByRole('row', { name: 'quick feedback 1 0' }).waitFor();
    await means.getByRole('button', { name: 'By key' }).click();
    await means.getByRole('row', { name: /^First key \(.*\) feedback 2 0.5$/ }).waitFor();
    expect(page.url()).toContain('meansBy=key');
    await settled(page);
    await means.scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-feedback-means');
  });
});
