import OpenAI from 'openai';
import { expect } from 'vitest';
import { z } from 'zod';
import type { BrowserAccount } from './product.ts';

const longModel = 'openrouter/meta-llama/llama-3.3-70b-instruct:free';
const longServer = 'inference-cluster-of-the-research-department';
const longServerModel = `${longServer}/meta-llama/llama-3.3-70b-instruct:free`;
const longRoute = 'production-support-assistant-with-fallback-to-the-cheapest-model';
const longEmail = 'maximiliane.featherstonehaugh-cholmondeley@procurement.subsidiary.example-corporation.com';
const longTag = 'customer=subsidiary-of-the-example-corporation-for-industrial-refrigeration';
const longUrl =
  'https://hooks.automation.example-corporation.com/services/T024BE7LD/B024BE7LD/incoming/sluice-budget-alerts?token=0123456789abcdef';

const answerForm = z.strictObject({ data: z.record(z.string(), z.unknown()) });
const idForm = z.object({ id: z.string() });

/** Pages of an account with names as long as in real accounts. */
export async function useLongValues(account: BrowserAccount): Promise<readonly (readonly [string, string])[]> {
  const ask = askOf(account);
  await ask('mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }', {
    name: 'Example Corporation for Industrial Refrigeration and Logistics',
  });
  const server = await connectServers(account);
  const key = await createKeys(account);
  const { createWebhook } = await ask(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { url: longUrl },
  );
  const webhook = z.object({ webhook: idForm }).parse(createWebhook).webhook.id;
  await ask('mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }', {
    email: longEmail,
    role: 'DEVELOPER',
  });
  const comparison = await createComparison(account);
  await request(account);
  await ask('mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { name } }', {
    name: longRoute,
    targets: [{ model: longModel }, { model: longServerModel }, { model: 'sandbox/chat' }],
    order: 'WEIGHTED',
    larger: longServerModel,
    saveAnyway: true,
  });
  const { usageLogs, auditLog } = z
    .object({ usageLogs: z.object({ nodes: z.array(idForm) }), auditLog: z.object({ nodes: z.array(idForm) }) })
    .parse(await ask('{ usageLogs(first: 1) { nodes { id } } auditLog(first: 1) { nodes { id } } }'));
  return [
    ['long-key', `/keys?key=${encodeURIComponent(key)}`],
    ['long-key-settings', `/keys?key=${encodeURIComponent(key)}&tab=settings`],
    ['long-webhook', `/hooks?webhook=${encodeURIComponent(webhook)}`],
    ['long-provider', `/providers?provider=${server}`],
    ['long-route', `/routes?edit=${longRoute}`],
    ['long-route-preview', `/routes?preview=${longRoute}`],
    ['long-model', `/models/${longModel}`],
    ['long-model-names', '/models?search=llama-3.3-70b'],
    [
      'long-models-compared',
      `/models/compare?ids=${encodeURIComponent(JSON.stringify([longModel, longServerModel, 'sandbox/transcription']))}`,
    ],
    ['long-comparison', `/compare/${encodeURIComponent(comparison)}`],
    ['long-comparison-form', `/compare?models=${encodeURIComponent(JSON.stringify([longModel, longServerModel]))}`],
    ['long-playground', `/playground?model=${encodeURIComponent(longModel)}`],
    ['long-log', `/billing/usage?log=${encodeURIComponent(usageLogs.nodes[0]?.id ?? '')}`],
    ['long-logs-by-model', `/billing/usage?model=${encodeURIComponent(longModel)}`],
    ['long-logs-by-key', `/billing/usage?by=key&key=${encodeURIComponent(key)}`],
    ['long-audit', `/audit?entry=${encodeURIComponent(auditLog.nodes[0]?.id ?? '')}`],
  ];
}

type Ask = (query: string, input?: object) => Promise<Record<string, unknown>>;

function askOf({ url, apiKey }: BrowserAccount): Ask {
  return async (query, input) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, ...(input && { variables: { input } }) }),
    });
    const body: unknown = await response.json();
    const { success, data } = answerForm.safeParse(body);
    expect(success, JSON.stringify(body)).toBe(true);
    return data?.data ?? {};
  };
}

/** @returns the name of the provider that is not a known provider */
async function connectServers(account: BrowserAccount): Promise<string> {
  const ask = askOf(account);
  const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
  const connection = { apiKey: 'sk-or-v1-0123456789abcdef', baseUrl: account.provider.url };
  await ask(connect, {
    ...connection,
    provider: 'openrouter',
    name: 'OpenRouter of the procurement department of the subsidiary',
  });
  await ask(connect, { ...connection, provider: longServer, name: 'Inference cluster of the research department' });
  return longServer;
}

async function createKeys(account: BrowserAccount): Promise<string> {
  const ask = askOf(account);
  const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }';
  const { createApiKey } = await ask(create, {
    name: 'Nightly evaluation of the support assistant in production, team of industrial refrigeration',
    scopes: ['INFERENCE', 'READ', 'MANAGE'],
    allowedModels: [longModel, longServerModel],
    limits: {
      requestsPerMinute: 100_000,
      tokensPerMinute: 10_000_000,
      requestsPerDay: 1_000_000,
      concurrency: 1_000,
      perModel: [{ model: longModel, requestsPerMinute: 10 }],
    },
    budget: { amount: '123456.789', period: 'MONTH' },
    saveAnyway: true,
  });
  await ask(create, { name: 'production_support_assistant_with_fallback_to_the_cheapest_model' });
  await ask('mutation ($input: SetBudgetInput!) { setBudget(input: $input) { id } }', {
    budget: { amount: '123456.789', period: 'MONTH' },
  });
  return z.object({ apiKey: idForm }).parse(createApiKey).apiKey.id;
}

async function createComparison(account: BrowserAccount): Promise<string> {
  const { startComparison } = await askOf(account)(
    'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }',
    {
      models: [longModel, longServerModel, 'sandbox/chat'],
      prompt:
        'https://example.com/a-very-long-address-without-any-space-that-goes-on/and-on/and-on/and-on/and-on/and-on',
      name: 'Which model answers questions about industrial refrigeration best and costs least in production',
    },
  );
  return idForm.parse(startComparison).id;
}

/** The last request is rejected because its model does not exist. */
async function request({ url, apiKey }: BrowserAccount): Promise<void> {
  const openai = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey,
    maxRetries: 0,
    defaultHeaders: { 'x-sluice-tags': longTag },
  });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  await openai.chat.completions.create({ model: longServerModel, messages });
  await openai.chat.completions.create({ model: longModel, messages, user: longEmail });
  await openai.chat.completions.create({ model: `${longModel}-not-there`, messages }).catch(() => undefined);
}
