import { expect, it } from 'vitest';
import { completion } from '../harness/fake-provider.ts';
import { post } from '../harness/graphql-client.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the performance of models and providers', (stage) => {
  const ask = async (query: string, variables: object = {}) =>
    (await post(stage.account.url, { query, variables }, { cookie: stage.account.cookie })).data ?? {};
  const chat = async (model: string): Promise<number> => {
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    await stage.logged(response);
    return response.status;
  };

  it('counts an attempt that failed over as a failure of its model', async () => {
    const { page } = stage.visitor;
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await ask(connect, { input: { provider: 'openai', apiKey: 'key', baseUrl: stage.account.provider.url } });
    const save = 'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }';
    await ask(save, { input: { name: 'steady', targets: [{ model: 'openai/gpt-4.1' }, { model: 'sandbox/chat' }] } });
    stage.account.provider.answerWith(completion());
    expect(await chat('openai/gpt-4.1')).toBe(200);
    stage.account.provider.answerWith((_request, response) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"message":"Out of order"}}');
    });
    expect(await chat('steady')).toBe(200);
    const range = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const query = `query ($range: UsageRange!) {
      modelPerformance(model: "gpt-4.1", range: $range) { total { attempts requests uptime errorRate } errors { code } }
      providerPerformance(provider: "sandbox", range: $range) { total { attempts uptime } models { model } }
    }`;
    await expect.poll(async () => (await ask(query, { range })).modelPerformance?.total.errorRate).toBeGreaterThan(0);
    const { modelPerformance, providerPerformance } = await ask(query, { range });
    expect(modelPerformance.total.requests).toBe(1);
    expect(modelPerformance.total.uptime).toBeLessThan(1);
    expect(providerPerformance).toMatchObject({
      total: { attempts: 1, uptime: 1 },
      models: [{ model: 'sandbox/chat' }],
    });
    await page.goto('/models/openai/gpt-4.1?range=24h');
    const section = page.getByRole('region', { name: 'Performance' });
    await section.getByRole('button', { name: 'Error rate' }).click();
    await section.getByLabel('Error rate over time').first().waitFor();
    await section.getByRole('region', { name: 'Errors by code' }).getByText(modelPerformance.errors[0].code).waitFor();
    await expectReadable(page, 'model-performance');
  });

  it('shows a provider with its models', async () => {
    const { page } = stage.visitor;
    await page.goto('/providers?provider=openai');
    await page.getByRole('dialog').getByRole('link', { name: 'Performance over time, models and errors' }).click();
    await page.getByRole('heading', { name: 'openai', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Uptime' }).click();
    expect(new URL(page.url()).search).toContain('metric=uptime');
    await page.getByRole('region', { name: 'Models' }).getByText('openai/gpt-4.1').waitFor();
    await expectReadable(page, 'provider-performance');
  });

  it('shows the status of the server without connections of accounts', async () => {
    const { page } = stage.visitor;
    await page.goto('/status');
    await page.getByRole('region', { name: 'Providers' }).getByText('Sandbox').waitFor();
    expect(await page.getByRole('region', { name: 'Providers' }).getByText('OpenAI').count()).toBe(0);
    await expectReadable(page, 'status');
    expect(stage.visitor.errors).toEqual([]);
  });
});
