import { onTestFinished, expect, it } from 'vitest';
import { z } from 'zod';
import { completion } from '../harness/fake-provider.ts';
import { describeInBrowser } from './stage.ts';

type Options = Readonly<Record<string, string>>;

const connectedForm = z.object({ data: z.object({ connectProvider: z.object({ id: z.string() }) }) });

describeInBrowser('the base URL that a provider’s drawer shows', (stage) => {
  async function post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${stage.account.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.account.apiKey}` },
      body: JSON.stringify(body),
    });
    return response.json();
  }

  async function connect(provider: string, given: { baseUrl?: string; options?: Options }): Promise<void> {
    const options = Object.entries(given.options ?? {}).map(([name, value]) => ({ name, value }));
    const query = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    const input = { provider, apiKey: 'its-key', ...given, options };
    const { data } = connectedForm.parse(await post('/graphql', { query, variables: { input } }));
    onTestFinished(async () => {
      const { id } = data.connectProvider;
      await post('/graphql', { query: 'mutation ($id: ID!) { disconnectProvider(id: $id) }', variables: { id } });
    });
  }

  async function fact(provider: string, name: string): Promise<string | null> {
    const { page } = stage.visitor;
    await page.goto(`/providers?provider=${provider}`);
    const drawer = page.getByRole('dialog');
    // Of the connection: the region of its endpoint follows, too.
    return drawer
      .locator('dt', { hasText: new RegExp(`^${name}$`) })
      .first()
      .locator('+ dd')
      .textContent();
  }

  // That requests go there: `unit/providers/declarations.test.ts`.
  it('is the provider’s own when the connection has none', async () => {
    await connect('mistral', {});
    expect(await fact('mistral', 'Base URL')).toBe('https://api.mistral.ai/v1');
  });

  it.each([
    ['azure-openai', 'resource', { resource: 'mine' }],
    ['amazon-bedrock', 'region', { region: 'eu-west-1' }],
    ['google-vertex', 'location', { project: 'mine', location: 'europe-west4' }],
  ])('of %s is derived from its settings, which are shown', async (provider, name, options: Options) => {
    await connect(provider, { options });
    expect(await fact(provider, 'Base URL')).toBe('Derived from its settings');
    expect(await fact(provider, `${name[0]?.toUpperCase()}${name.slice(1)}`)).toBe(options[name]);
  });

  it.each([
    ['groq', {}],
    ['azure-openai', { resource: 'mine' }],
    ['a-server', {}],
  ])('of %s is the connection’s own', async (provider, options: Options) => {
    await connect(provider, { baseUrl: stage.account.provider.url, options });
    expect(await fact(provider, 'Base URL')).toBe(stage.account.provider.url);
    stage.account.provider.answerWith(completion());
    const answered = post('/v1/chat/completions', {
      model: `${provider}/any-model`,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect((await stage.account.provider.nextRequest()).headers.host).toBe(new URL(stage.account.provider.url).host);
    await answered;
  });

  it('is hidden when the account has no connection', async () => {
    expect(await fact('sandbox', 'Base URL')).toBe('None (runs inside Sluice)');
  });
});
