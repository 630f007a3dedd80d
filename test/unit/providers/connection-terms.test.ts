import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { combinedTerms, termsOf, type ConnectionTerms } from '../../../src/providers/shared/terms/connection-terms.ts';
import type { Connection, ConnectionSettings } from '../../../src/providers/contract.ts';
import { publishedDataPolicies } from '../../../src/providers/shared/terms/published-data-policies.ts';
import { openConnection, providers } from '../../../src/providers/registry.ts';

type Given = Partial<ConnectionSettings>;

function open(provider: string, given: Given = {}): Connection {
  return openConnection(provider, {
    id: provider,
    apiKey: 'key',
    baseUrl: undefined,
    connectTimeoutMs: 1_000,
    options: {},
    ...given,
  });
}

async function terms(provider: string, given: Given = {}): Promise<ConnectionTerms> {
  const connection = open(provider, given);
  await connection.close();
  return termsOf(connection);
}

describe('the region of a connection', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const vertex = { project: 'p', location: 'europe-west4', client_email: 'a@b', private_key: privateKey };

  it.each<[string, Given, string | null]>([
    ['openai', {}, null],
    ['openai', { baseUrl: 'https://eu.api.openai.com/v1' }, 'eu'],
    ['openai', { baseUrl: 'https://eu.api.openai.com.example.com/v1' }, null],
    ['openai', { baseUrl: 'https://eu.api.openai.com/v1', region: 'us' }, 'us'],
    ['mistral', {}, null],
    ['mistral', { baseUrl: 'https://api.eu.mistral.ai/v1' }, 'eu'],
    ['xai', { baseUrl: 'https://us-east-1.api.x.ai/v1' }, 'us-east-1'],
    ['amazon-bedrock', { options: { region: 'eu-central-1' } }, 'eu-central-1'],
    ['amazon-bedrock', { options: { region: 'eu-central-1' }, baseUrl: 'https://proxy.example.com' }, null],
    [
      'amazon-bedrock',
      { options: { region: 'us-east-1' }, baseUrl: 'https://bedrock-runtime.us-gov-west-1.amazonaws.com' },
      'us-gov-west-1',
    ],
    ['azure-openai', { options: { resource: 'eastus' } }, null],
    ['azure-openai', { baseUrl: 'https://westeurope.api.cognitive.microsoft.com/openai/v1' }, 'westeurope'],
    ['mine', { baseUrl: 'https://eu.example.com/v1' }, null],
    ['mine', { baseUrl: 'https://llm.example.com/v1', region: 'eu-west-3' }, 'eu-west-3'],
  ])('of %s with %j is %s', async (provider, given, region) => {
    expect((await terms(provider, given)).region).toBe(region);
  });

  it('is the location of Vertex AI', async () => {
    expect((await terms('google-vertex', { apiKey: undefined, options: vertex })).region).toBe('europe-west4');
  });
});

describe('the data policy of a connection', () => {
  const documented = { isSetByConnection: false, source: { readOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) } };
  const unknown = { trainsOnData: null, retentionDays: null, isSetByConnection: false, source: null };

  it('is what the provider documents, at its own servers only', async () => {
    const openai = { ...documented, trainsOnData: false, retentionDays: 30 };
    expect((await terms('openai')).dataPolicy).toMatchObject(openai);
    expect((await terms('openai', { baseUrl: 'https://eu.api.openai.com/v1' })).dataPolicy).toMatchObject(openai);
    expect((await terms('openai', { baseUrl: 'https://proxy.example.com/v1' })).dataPolicy).toEqual(unknown);
    expect((await terms('openai', { baseUrl: 'https://notopenai.com/v1' })).dataPolicy).toEqual(unknown);
    expect((await terms('ollama')).dataPolicy).toEqual(unknown);
  });

  it('is what its owner states, and for the rest what the provider documents', async () => {
    const stated = await terms('openai', { dataPolicy: { retentionDays: 0 } });
    expect(stated.dataPolicy).toMatchObject({ trainsOnData: false, retentionDays: 0, isSetByConnection: true });
    expect(stated.dataPolicy.source?.url).toContain('openai.com');
    const all = await terms('openai', { dataPolicy: { trainsOnData: true, retentionDays: 7 } });
    expect(all.dataPolicy).toEqual({ trainsOnData: true, retentionDays: 7, isSetByConnection: true, source: null });
  });

  it('is documented by pages of known providers', () => {
    for (const [id, policy] of Object.entries(publishedDataPolicies)) {
      const provider = providers.find((each) => each.id === id);
      expect(provider, id).toBeDefined();
      expect(policy.trainsOnData ?? policy.retentionDays, id).toBeDefined();
      if (provider?.baseUrl) expect(new URL(provider.baseUrl).hostname, id).toContain(policy.domain);
    }
  });

  it('is the weaker one of several connections, and unknown where one is', async () => {
    const connections = [
      open('openai', { region: 'eu', dataPolicy: { trainsOnData: false, retentionDays: 0 } }),
      open('xai', { region: 'eu' }),
      open('mistral', { region: 'us', dataPolicy: { trainsOnData: true } }),
      open('groq', { region: 'eu' }),
    ] as const;
    const [strict, usual, training, silent] = connections;
    expect(combinedTerms([strict, usual])).toMatchObject({
      region: 'eu',
      dataPolicy: { trainsOnData: false, retentionDays: 30 },
    });
    expect(combinedTerms([strict, training])).toMatchObject({
      region: null,
      dataPolicy: { trainsOnData: true, retentionDays: null },
    });
    expect(combinedTerms([strict, silent]).dataPolicy).toMatchObject({ trainsOnData: null, retentionDays: 30 });
    await Promise.all(connections.map((each) => each.close()));
  });
});
