import { expect, it } from 'vitest';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('sessions', (stage) => {
  const chat = async (session: string, parent: string | null = null, model = 'sandbox/chat'): Promise<string> => {
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${stage.account.apiKey}`,
        'x-sluice-session-id': session,
        ...(parent !== null && { 'x-sluice-parent-id': parent }),
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] }),
    });
    await response.text();
    await stage.logged(response);
    return response.headers.get('x-request-id') ?? '';
  };

  it('tell how to begin where there are none', async () => {
    const { page } = stage.visitor;
    await page.goto('/sessions');
    await page.getByText('No sessions in this period').waitFor();
    expect(await page.getByRole('region', { name: 'Code' }).textContent()).toContain('x-sluice-session-id: run-42');
  });

  it('appear in the list as they happen, with their failures', async () => {
    const { page } = stage.visitor;
    let reads = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query RequestSessions') === true) reads += 1;
    });
    await chat('nightly run/1');
    const row = page.getByRole('row').filter({ hasText: 'nightly run/1' });
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await chat('nightly run/1', null, 'sandbox/none');
    await row.getByText('1 failed', { exact: true }).waitFor();
    // It was sent, not asked for.
    expect(reads).toBe(0);
    await expectReadable(page, 'sessions-list');
  });

  it('are filtered by the status of a request', async () => {
    const { page } = stage.visitor;
    await chat('calm run');
    await page.getByRole('row').filter({ hasText: 'calm run' }).waitFor();
    await page.getByLabel('Status').selectOption('Rejected');
    await page.getByRole('row').filter({ hasText: 'calm run' }).waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'nightly run/1' }).waitFor();
    expect(page.url()).toContain('status=REJECTED');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'calm run' }).waitFor();
  });

  it('show their requests under their parents and steps, and new ones at once', async () => {
    const { page } = stage.visitor;
    const root = await chat('tree');
    await chat('tree', root);
    await chat('tree', 'write the report');
    await page.goto('/sessions');
    await page.getByRole('button', { name: 'tree' }).click();
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByText('write the report').waitFor();
    expect(await requests.getByRole('button').count()).toBe(3);
    await chat('tree', 'write the report');
    await expect.poll(() => requests.getByRole('button').count()).toBe(4);
    expect(await requests.getByText('write the report').count()).toBe(1);
    await expectReadable(page, 'session-tree');
  });

  it('open the details of a request, which lead back to its session and its siblings', async () => {
    const { page } = stage.visitor;
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('button').nth(1).click();
    const drawer = page.getByRole('dialog', { name: 'sandbox/chat' });
    await drawer.getByText(/^Part of$/).waitFor();
    await expectReadable(page, 'session-request');
    await page.goto('/billing/usage');
    await page.getByLabel('Session ID').fill('tree');
    await expect.poll(() => page.url()).toContain('sessionId=tree');
    await page.getByText('4 entries', { exact: true }).waitFor();
    await page.getByLabel('Requests', { exact: true }).getByText('sandbox/chat').first().click();
    await page.getByRole('dialog').getByRole('link', { name: 'tree', exact: true }).click();
    await page.getByRole('heading', { name: 'Session', exact: true }).waitFor();
    expect(page.url()).toContain('/sessions/session?id=tree');
  });

  it('of other accounts are not found', async () => {
    const { page } = stage.visitor;
    await page.goto('/sessions/session?id=of-nobody');
    await page.getByText('Session not found').waitFor();
  });
});
