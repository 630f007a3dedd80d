import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebSocketRoute } from 'playwright-core';
import { expect, it } from 'vitest';
import { visit } from '../harness/chromium.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('files and batches', (stage) => {
  const line = JSON.stringify({
    custom_id: 'first',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Say hello.' }] },
  });
  let inputFileId = '';

  const send = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${stage.account.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.account.apiKey}` },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return Object(await response.json());
  };

  it('tell how to begin where there are none', async () => {
    const { page } = stage.visitor;
    await page.goto('/batches');
    await page.getByText('No batches yet').waitFor();
    const code = page.getByRole('region', { name: 'Code' });
    expect(await code.textContent()).toContain(`curl ${stage.account.url}/v1/batches`);
    await page.goto('/files');
    await page.getByText('No files yet').waitFor();
    expect(await code.textContent()).toContain(`curl ${stage.account.url}/v1/files`);
  });

  it('a file is uploaded, found by its purpose, and downloaded', async () => {
    const { page } = stage.visitor;
    const path = join(stage.account.dataDir, 'requests.jsonl');
    await writeFile(path, line);
    await page.goto('/files');
    await page.getByRole('button', { name: 'Upload file' }).click();
    const drawer = page.getByRole('dialog', { name: 'Upload file' });
    await drawer.getByLabel('File').setInputFiles(path);
    await drawer.getByLabel('Purpose').selectOption('batch');
    await drawer.getByLabel('Delete it').selectOption('After 7 days');
    await drawer.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('File uploaded.').first().waitFor();
    await page.getByText(`${line.length} B of`).waitFor();
    await page.getByLabel('Purpose').selectOption('vision');
    await page.getByText('No files of this purpose').waitFor();
    await page.getByLabel('Purpose').selectOption('batch');
    await page.getByRole('button', { name: 'requests.jsonl' }).click();
    const details = page.getByRole('dialog', { name: 'requests.jsonl' });
    inputFileId = (await details.getByText(/^file-[0-9a-f]{32}$/).textContent()) ?? '';
    await expectReadable(page, 'file');
    const download = page.waitForEvent('download');
    await details.getByRole('button', { name: 'Download' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('requests.jsonl');
    expect(await readFile(await saved.path(), 'utf8')).toBe(line);
  });

  it('a batch shows its progress without a reload, and its output is downloaded', async () => {
    const { page } = stage.visitor;
    await page.goto('/batches');
    await page.getByText('No batches yet').waitFor();
    let reads = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query Batches') === true) reads += 1;
    });
    const { id } = await send('batches', {
      input_file_id: inputFileId,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await page.getByRole('button', { name: String(id) }).click();
    const drawer = page.getByRole('dialog', { name: 'Batch' });
    await drawer.getByText('Completed').waitFor({ timeout: 60_000 });
    await drawer.getByText('1 of 1').waitFor();
    // It was sent, not asked for.
    expect(reads).toBe(0);
    await expectReadable(page, 'batch');
    const download = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'Output file' }).click();
    const output = JSON.parse(await readFile(await (await download).path(), 'utf8'));
    expect(output).toMatchObject({ custom_id: 'first', response: { status_code: 200 } });
  });

  it('a batch shows which requests failed, and why its input was rejected', async () => {
    const { page } = stage.visitor;
    const params = (model: string): object => ({ model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] });
    const { id } = await send('messages/batches', {
      requests: [
        { custom_id: 'served', params: params('sandbox/chat') },
        { custom_id: 'unknown', params: params('sandbox/nothing') },
      ],
    });
    await page.goto(`/batches?batch=${String(id)}`);
    const drawer = page.getByRole('dialog', { name: 'Batch' });
    await drawer.getByText('2 of 2, 1 failed').waitFor({ timeout: 60_000 });
    const meter = drawer.getByRole('meter', { name: 'Requests that have ended' });
    expect(await meter.getAttribute('aria-valuetext')).toBe('2 of 2, 1 failed');
    const parts = await meter.locator('div').all();
    expect(await Promise.all(parts.map((part) => part.getAttribute('class')))).toMatchObject([
      expect.stringContaining('bg-accent'),
      expect.stringContaining('bg-bad'),
    ]);
    const [ended, failed] = await Promise.all(parts.map((part) => part.boundingBox()));
    expect(Math.abs((ended?.width ?? 0) - (failed?.width ?? -2))).toBeLessThanOrEqual(1);
    await expectReadable(page, 'a batch with a failed request');

    const rejected = await send('batches', {
      input_file_id: inputFileId,
      endpoint: '/v1/embeddings',
      completion_window: '24h',
    });
    await page.goto(`/batches?batch=${String(rejected.id)}`);
    await drawer.getByRole('heading', { name: 'Errors of the input file' }).waitFor({ timeout: 60_000 });
    await drawer.getByText('Line 1: ').waitFor();
    await expectReadable(page, 'a batch with a rejected input');
  });

  it('a running batch is cancelled after it is confirmed', async () => {
    const { page } = stage.visitor;
    const params = { model: 'sandbox/chat', max_tokens: 2_000, messages: [{ role: 'user', content: 'Count to 500.' }] };
    const requests = Array.from({ length: 200 }, (_, index) => ({ custom_id: `r-${index}`, params }));
    const { id } = await send('messages/batches', { requests });
    await page.goto('/batches');
    await page.getByRole('button', { name: String(id) }).click();
    const drawer = page.getByRole('dialog', { name: 'Batch' });
    await drawer.getByRole('button', { name: 'Cancel batch' }).click();
    await page
      .getByRole('dialog', { name: 'Cancel this batch?' })
      .getByRole('button', { name: 'Cancel batch' })
      .click();
    await page.getByText('No more requests of the batch are started.').first().waitFor();
    await drawer.getByText('Cancelled', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await drawer.getByRole('button', { name: 'Cancel batch' }).count()).toBe(0);
  });

  it('batches that ended while the socket was down are shown once it is back', async () => {
    const { page, close } = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const open = new Set<WebSocketRoute>();
    let isDown = false;
    await page.routeWebSocket(/\/graphql$/, (socket) => {
      if (isDown) return void socket.close({ code: 1012 });
      socket.connectToServer();
      open.add(socket);
    });
    await page.goto('/batches');
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
    await expect.poll(() => open.size).toBe(1);
    isDown = true;
    for (const socket of open) await socket.close({ code: 1012 });
    const params = { model: 'sandbox/chat', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
    const { id } = await send('messages/batches', { requests: [{ custom_id: 'unseen', params }] });
    const headers = { authorization: `Bearer ${stage.account.apiKey}` };
    const status = async (): Promise<unknown> =>
      Object(await (await fetch(`${stage.account.url}/v1/messages/batches/${id}`, { headers })).json())
        .processing_status;
    await expect.poll(status).toBe('ended');
    expect(await page.getByRole('button', { name: String(id) }).count()).toBe(0);
    const read = page.waitForRequest((request) => request.postData()?.includes('query Batches') === true);
    isDown = false;
    await read;
    const row = page.getByRole('row').filter({ hasText: String(id) });
    await row.getByText('Completed').waitFor();
    await close();
  });

  it('a file is deleted after it is confirmed', async () => {
    const { page } = stage.visitor;
    await page.goto(`/files?file=${inputFileId}`);
    const drawer = page.getByRole('dialog', { name: 'requests.jsonl' });
    await drawer.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete requests.jsonl?' })
      .getByRole('button', { name: 'Delete file' })
      .click();
    await page.getByText('File deleted.').first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'requests.jsonl' }).count()).toBe(0);
    const headers = { authorization: `Bearer ${stage.account.apiKey}` };
    expect((await fetch(`${stage.account.url}/v1/files/${inputFileId}`, { headers })).status).toBe(404);
  });
});
