import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseConfig } from '../../../src/config/config-file.ts';
import type { SluiceConfig } from '../../../src/config/config-schema.ts';
import { defaultTimeouts } from '../../../src/gateway/routing/timeouts.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { readRoutes } from '../../../src/composition/gateway/read-routes.ts';
import { pageText, snippet, snippets, type Snippet } from '../../harness/docs.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { hasCurl, mayBeMissing } from '../../harness/tool-paths.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const sluice = join(root, 'dist/cli/sluice.js');
const python = await pythonWithSdk();

let account: TestAccount;
/** Inside the checkout, so that the snippets can import its packages. */
let folder: string;

beforeAll(async () => {
  account = await newAccount();
  folder = mkdtempSync(join(root, 'test', 'api', 'readme', '.run-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await account.dispose();
});

/** The interpreter of the Python example; null if none has the SDK. */
async function pythonWithSdk(): Promise<string | null> {
  for (const command of [process.env.SLUICE_TEST_PYTHON, 'python3']) {
    if (!command) continue;
    const hasSdk = await run(command, ['-c', 'import openai']).then(
      () => true,
      () => false,
    );
    if (hasSdk) return command;
  }
  return null;
}

async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SLUICE_API_KEY: account.apiKey },
  });
  return stdout;
}

async function runFile(command: string, name: string, code: string): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, code);
  return outputOf(command, [file]);
}

async function askGraphql(query: string): Promise<unknown> {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

/** Each variable that the file names has a value. */
function configOf({ page, code }: Snippet): SluiceConfig {
  const names = [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'value']);
  return parseConfig(page, code, Object.fromEntries(names));
}

/** Runs a snippet and returns what it prints or answers. Fails if it fails. */
async function resultOf(given: Snippet): Promise<unknown> {
  const { language, name = '' } = given;
  const code = snippet(name, account);
  if (language === 'sh') {
    const quiet = code
      .replace('curl ', 'curl -sS --fail-with-body ')
      .replace('npx sluice', `${process.execPath} ${sluice}`);
    const text = await outputOf('bash', ['-e', '-c', quiet]);
    return text.startsWith('{') ? JSON.parse(text) : text;
  }
  if (language === 'graphql') {
    const answer = await askGraphql(code);
    expect(answer).not.toHaveProperty('errors');
    return answer;
  }
  if (language === 'python') return runFile(python ?? '', 'snippet.py', code);
  if (language === 'json') return JSON.parse(code);
  if (language === 'yaml') return name === 'prometheus.yaml' ? parseYaml(code) : configOf(given);
  return runFile(process.execPath, language === 'ts' ? 'snippet.ts' : 'snippet.mjs', code);
}

const printsSandbox = expect.stringContaining('no AI model');
const pending = { pending: true, amount: { amount: '0' } };

/** What a snippet prints, answers or sets, by its name. */
const expected: Readonly<Record<string, unknown>> = {
  curl: { object: 'chat.completion' },
  'curl stream': expect.stringContaining('data: [DONE]'),
  'curl stored completion': { object: 'chat.completion', metadata: { topic: 'boats' } },
  'curl idempotency': { object: 'chat.completion' },
  sessions: { object: 'chat.completion' },
  'curl feedback': { object: 'feedback', name: 'helpful', value: true },
  'feedback query': { data: { usageLogs: { nodes: expect.any(Array) }, feedbackSummary: expect.any(Array) } },
  'session query': { data: { sessions: { nodes: expect.any(Array) } } },
  'curl responses': { object: 'response', status: 'completed' },
  'responses websocket': printsSandbox,
  'curl completions': { object: 'text_completion' },
  'curl azure': { object: 'chat.completion' },
  'curl files': { object: 'file', purpose: 'user_data', filename: 'notes.txt' },
  'curl gemini': { candidates: [{ finishReason: 'STOP' }] },
  'curl messages': { type: 'message', stop_reason: 'end_turn' },
  'curl batch': { object: 'batch', status: 'validating' },
  'curl message batch': { type: 'message_batch', processing_status: 'in_progress' },
  'curl embeddings': { object: 'list', data: [{ index: 0 }, { index: 1 }] },
  'curl rerank': { results: [{ index: 1, document: { text: 'a cat sat' } }] },
  'curl moderation': { results: [{ flagged: true }, { flagged: false }] },
  'curl video': { object: 'video', seconds: '4', size: '1280x720' },
  'curl images': { data: [{ url: expect.stringContaining('/media/') }] },
  'curl speech': '',
  'curl transcription': expect.stringMatching(/^1\n00:00:00,000 --> /),
  'curl graphql': { data: { viewer: { currentAccount: { name: expect.any(String) } } } },
  cli: expect.stringContaining('keys'),
  doctor: expect.stringContaining('Configuration'),
  export: expect.stringContaining('cost_usd'),
  typescript: printsSandbox,
  tags: printsSandbox,
  python: printsSandbox,
  subscription: expect.stringMatching(/text:[^]*outputTokens/),
  json: { error: { code: 'model_not_found' } },
  query: {
    data: {
      viewer: { currentAccount: { plan: { id: 'enterprise', name: 'Enterprise' } } },
      usageLogs: { nodes: expect.any(Array) },
    },
  },
  usage: { data: { usage: { total: { requests: expect.any(Number) } } } },
  'cache savings': { data: { usage: { total: { promptCacheSavings: { amount: expect.any(String) } } } } },
  comparison: { data: { startComparison: { lanes: [{ lane: 0 }] } } },
  'key limits': {
    data: {
      createApiKey: { apiKey: { limits: { perModel: [{ model: 'sandbox/chat', tokensPerMinute: 200_000 }] } } },
    },
  },
  'key aliases': {
    data: { createApiKey: { apiKey: { modelAliases: [{ name: 'claude-*', model: 'sandbox/chat' }] } } },
  },
  'access token': { data: { createAccessToken: { token: expect.stringMatching(/^st-sluice-/) } } },
  invite: { data: { inviteMember: { id: expect.any(String) } } },
  audit: {
    data: { auditLog: { nodes: expect.arrayContaining([expect.objectContaining({ action: 'api_key.created' })]) } },
  },
  alerts: { data: { createAlertRule: { id: expect.any(String) } } },
  budget: { data: { setBudget: { remaining: { amount: '50' } } } },
  invoices: { data: { invoices: { nodes: [] } } },
  'plan preview': { data: { planChangePreview: { ...pending, canReturn: false, to: { fee: { amount: '20' } } } } },
  'plan change': { data: { changePlan: { ...pending, account: { plan: { name: 'Enterprise' } } } } },
  'alias.yaml': { aliases: { fast: 'openai/gpt-4.1-mini' } },
  'routes.yaml': { routes: { chat: { targets: ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5'] } } },
  'patterns.yaml': { aliases: { 'claude-*': 'openai/gpt-4.1' } },
  'providers.yaml': { providers: { 'azure-openai': { api_key: 'value', options: { resource: 'my-resource' } } } },
  'data-policy.yaml': {
    providers: { openai: { data_policy: { retention_days: 0 } }, ollama: { region: 'eu-central-1' } },
  },
  'moderation.yaml': { routes: { internal: { moderation: 'none' } } },
  'identity.yaml': { identityProviders: { work: { client_secret: 'value' } } },
  'sluice.yaml': { providers: { mine: { api_key: 'value' } } },
  'prometheus.yaml': { scrape_configs: [{ job_name: 'sluice' }] },
};

/** Run by test/api/graphql/clients, test/unit/deploy and test/soak/deploy. */
const runElsewhere = /^(client .*|graphql\.yaml|compose secrets|compose rotation|helm values|systemd credentials)$/;

/** A snippet that stands on several pages runs once. */
const runnable = [
  ...new Map(snippets.flatMap((each) => (each.name === undefined ? [] : [[each.name, each]]))).values(),
];

describe('the documentation', () => {
  for (const each of runnable.filter(({ name = '' }) => !runElsewhere.test(name))) {
    const { name = '', page, language } = each;
    const isMissing = language === 'python' ? python === null : language === 'sh' && !hasCurl && mayBeMissing;
    it.skipIf(isMissing)(`has a working snippet "${name}" in ${page}`, async () => {
      const result = await resultOf(each);
      if (typeof expected[name] === 'object' && typeof result === 'object')
        expect(result).toMatchObject(expected[name] ?? {});
      else expect(result).toEqual(expected[name]);
    });
  }

  it('has a speech snippet that writes a WAV file', () => {
    if (hasCurl) expect(readFileSync(join(folder, 'speech.wav')).subarray(0, 4).toString()).toBe('RIFF');
  });

  it('has a sluice.yaml with the routes and plans that it names', () => {
    const file = snippets.find(({ name }) => name === 'sluice.yaml');
    if (file === undefined) throw new Error('no sluice.yaml');
    const { routes, aliases } = readRoutes(configOf(file), defaultTimeouts);
    expect([...routes.keys(), ...aliases.keys()]).toEqual(['chat', 'cheap', 'fast']);
    expect(readPlans(configOf(file)).plans.map(({ id }) => id)).toEqual(['free', 'pro', 'enterprise', 'team']);
  });

  it('names every metric of a server', async () => {
    const page = pageText('docs/operations/metrics.md');
    const metrics = await (await fetch(`${account.url}/metrics`)).text();
    const names = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
