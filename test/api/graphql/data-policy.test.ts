import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { newAccount, signUp, type TestAccount } from '../../harness/shared-server.ts';

const configuration = `
providers:
  openai: { region: eu, data_policy: { trains_on_data: false, retention_days: 0 } }
  anthropic: {}
routes:
  everywhere: { targets: [openai/gpt-4.1, anthropic/claude-sonnet-4-6] }
  inside: { targets: [openai/gpt-4.1, openai/gpt-4.1-mini] }
`;

describe('the region and data policy of models', () => {
  let provider: FakeProvider;
  let account: TestAccount;
  let stranger: { readonly cookie: string };

  beforeAll(async () => {
    provider = await startFakeProvider();
    provider.answerWith(completion());
    const env = {
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: provider.url,
      SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
    };
    account = await newAccount(env, { 'sluice.yaml': configuration });
    stranger = await signUp(account.url);
  });

  afterAll(async () => {
    await account.dispose();
    await provider.close();
  });

  async function ask(query: string, variables: object = {}, { cookie } = { cookie: account.cookie }) {
    const { data, code } = await post(account.url, { query, variables }, { cookie });
    return { data: data ?? {}, code };
  }

  const policy = 'region dataPolicy { trainsOnData retentionDays isSetByConnection source }';

  async function providersOf(filter: object, person?: { readonly cookie: string }): Promise<string[]> {
    const query = 'query ($filter: ModelFilter!) { models(filter: $filter, first: 100) { nodes { id provider } } }';
    const nodes: { provider: string }[] = (await ask(query, { filter }, person)).data.models.nodes;
    return [...new Set(nodes.map((node) => node.provider))];
  }

  it('are those that the operator states, and unknown at other servers than the provider’s own', async () => {
    const query = `query ($id: ID!) { model(id: $id) { ${policy} } }`;
    const known = { region: 'eu', dataPolicy: { trainsOnData: false, retentionDays: 0, isSetByConnection: true } };
    const unknown = { trainsOnData: null, retentionDays: null, isSetByConnection: false, source: null };
    expect((await ask(query, { id: 'openai/gpt-4.1' })).data.model).toMatchObject(known);
    expect((await ask(query, { id: 'inside' })).data.model).toMatchObject(known);
    for (const id of ['anthropic/claude-sonnet-4-6', 'everywhere'])
      expect((await ask(query, { id })).data.model).toMatchObject({ region: null, dataPolicy: unknown });
    const states = (await ask(`{ providerStates { provider ${policy} } }`)).data.providerStates;
    expect(states).toContainEqual(expect.objectContaining({ provider: 'openai', region: 'eu' }));
  });

  it('filter models, which an unknown policy does not match', async () => {
    expect((await ask('{ modelRegions }')).data.modelRegions).toEqual(['eu']);
    expect(await providersOf({ region: 'eu' })).toEqual(['openai']);
    expect(await providersOf({ region: 'us' })).toEqual([]);
    expect(await providersOf({ trainsOnData: false })).toEqual(['openai']);
    expect(await providersOf({ trainsOnData: true })).toEqual([]);
    expect(await providersOf({ maxRetentionDays: 0 })).toEqual(['openai']);
    const refused = await ask('{ models(filter: { maxRetentionDays: -1 }) { totalCount } }');
    expect(refused.code).toBe('bad_user_input');
  });

  it('are stated of an account’s connection, for this account only, without its credentials', async () => {
    const fields = `id region trainsOnData retentionDays`;
    const connect = `mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { ${fields} } }`;
    const update = `mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { ${fields} } }`;
    const given = { provider: 'mistral', apiKey: 'secret-key-of-account', baseUrl: provider.url };
    const { id, ...made } = (await ask(connect, { input: { ...given, region: 'fr-1', retentionDays: 30 } })).data
      .connectProvider;
    expect(made).toEqual({ region: 'fr-1', trainsOnData: null, retentionDays: 30 });
    expect(await providersOf({ region: 'fr-1' })).toEqual(['mistral']);
    expect(await providersOf({ region: 'fr-1' }, stranger)).toEqual([]);
    expect((await ask('{ modelRegions }', {}, stranger)).data.modelRegions).toEqual(['eu']);
    expect(await providersOf({ maxRetentionDays: 29 })).not.toContain('mistral');

    const changed = { id, region: null, trainsOnData: false };
    expect((await ask(update, { input: changed })).data.updateConnection).toEqual({
      id,
      region: null,
      trainsOnData: false,
      retentionDays: 30,
    });
    expect(await providersOf({ region: 'fr-1' })).toEqual([]);
    expect(await providersOf({ trainsOnData: false })).toContain('mistral');
    const elsewhere = { id, apiKey: 'secret-key-of-account', baseUrl: `${provider.url}/other`, retentionDays: 7 };
    expect((await ask(update, { input: elsewhere })).data.updateConnection).toEqual({
      id,
      region: null,
      trainsOnData: null,
      retentionDays: 7,
    });
    expect(
      (await ask(update, { input: { ...elsewhere, retentionDays: undefined } })).data.updateConnection,
    ).toMatchObject({
      retentionDays: 7,
    });
    for (const input of [{ region: 'EU West' }, { retentionDays: -1 }, { retentionDays: 36_501 }]) {
      const refused = await ask(update, { input: { id, ...input } });
      expect(refused.code).toBe('bad_user_input');
    }
  });

  it('are documented for providers that can be connected', async () => {
    const query = `{ providers { id dataPolicy { trainsOnData retentionDays source readAt } } }`;
    const list: { id: string; dataPolicy: object }[] = (await ask(query)).data.providers;
    const of = (id: string) => list.find((each) => each.id === id)?.dataPolicy;
    expect(of('openai')).toMatchObject({
      trainsOnData: false,
      retentionDays: 30,
      source: expect.stringContaining('https://developers.openai.com/'),
      readAt: expect.stringMatching(/^2026-/),
    });
    expect(of('ollama')).toEqual({ trainsOnData: null, retentionDays: null, source: null, readAt: null });
  });
});
