import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import { defaultTimeouts } from '../../../src/gateway/routing/timeouts.ts';
import { knownProviders } from '../../../src/providers/registry.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { readRoutes } from '../../../src/composition/gateway/read-routes.ts';
import { pageText, snippet as snippetFor } from '../../harness/docs.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { hasCurl, mayBeMissing } from '../../harness/tool-paths.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const python = await pythonWithSdk();
const itWithCurl = it.skipIf(!hasCurl && mayBeMissing);

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

const snippet = (name: string): string => snippetFor(name, account);

async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SLUICE_API_KEY: account.apiKey },
  });
  return stdout;
}

async function runFile(command: string, name: string, code: string): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, code);
  return outputOf(command, [file]);
}

describe('the documentation', () => {
  it('has a valid sluice.yaml', () => {
    const file = parseConfig('docs/configuration.md', snippet('sluice.yaml'), {
      MINE_API_KEY: 'key',
      GOOGLE_CLIENT_SECRET: 'secret',
      WORK_CLIENT_SECRET: 'secret',
    });
    expect(file.providers.mine?.api_key).toBe('key');
    const { routes, aliases } = readRoutes(file, defaultTimeouts);
    expect([...routes.keys(), ...aliases.keys()]).toEqual(['chat', 'cheap', 'fast']);
    expect(readPlans(file).plans.map(({ id }) => id)).toEqual(['free', 'pro', 'enterprise', 'team']);
  });

  itWithCurl('has a working curl command', async () => {
    const answer = JSON.parse(await outputOf('bash', ['-c', snippet('curl').replace('curl', 'curl -sS')]));
    expect(answer).toMatchObject({ object: 'chat.completion' });
  });

  itWithCurl.each([
    ['responses', { object: 'response', status: 'completed' }],
    ['embeddings', { object: 'list', data: [{ index: 0 }, { index: 1 }] }],
    ['rerank', { results: [{ index: 1, document: { text: 'a cat sat' } }] }],
    ['moderation', { results: [{ flagged: true }, { flagged: false }] }],
    ['video', { object: 'video', seconds: '4', size: '1280x720' }],
    ['images', { data: [{ url: expect.stringContaining('/media/') }] }],
  ])('has a working curl command for %s', async (name, expected) => {
    const line = snippet(`curl ${name}`).replace('curl', 'curl -sS');
    expect(JSON.parse(await outputOf('bash', ['-c', line]))).toMatchObject(expected);
  });

  itWithCurl('has working curl commands for speech and transcription', async () => {
    const inFolder = (name: string): string => `cd ${folder}\n${snippet(name).replace('curl', 'curl -sS')}`;
    await outputOf('bash', ['-c', inFolder('curl speech')]);
    expect(readFileSync(join(folder, 'speech.wav')).subarray(0, 4).toString()).toBe('RIFF');
    expect(await outputOf('bash', ['-c', inFolder('curl transcription')])).toMatch(/^1\n00:00:00,000 --> /);
  });

  it('shows working code for the OpenAI SDK in TypeScript', async () => {
    expect(await runFile(process.execPath, 'snippet.ts', snippet('typescript'))).toContain('no AI model');
  });

  it.skipIf(python === null)(
    'shows the OpenAI SDK in Python as it works (skipped unless SLUICE_TEST_PYTHON or python3 has `openai`)',
    async () => {
      expect(await runFile(python ?? '', 'snippet.py', snippet('python'))).toContain('no AI model');
    },
  );

  it('has a working GraphQL query', async () => {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: snippet('query') }),
    });
    expect(await response.json()).toMatchObject({
      data: {
        viewer: { currentAccount: { plan: { id: 'enterprise', name: 'Enterprise' } } },
        usageLogs: { nodes: expect.any(Array) },
      },
    });
  });

  it('has a working query that previews a plan change, and the mutation', async () => {
    const run = async (query: string): Promise<unknown> => {
      const response = await fetch(`${account.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return response.json();
    };
    const pending = { pending: true, amount: { amount: '0' } };
    expect(await run(snippet('plan preview'))).toMatchObject({
      data: { planChangePreview: { ...pending, canReturn: false, to: { fee: { amount: '20' } } } },
    });
    expect(await run(snippet('plan change'))).toMatchObject({
      data: { changePlan: { ...pending, account: { plan: { name: 'Enterprise' } } } },
    });
    expect(await run('mutation { cancelPlanChange { plan { id } pendingPlan { at } } }')).toEqual({
      data: { cancelPlanChange: { plan: { id: 'enterprise' }, pendingPlan: null } },
    });
  });

  it('has a mutation that compares models', async () => {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ query: snippet('comparison') }),
    });
    expect(await response.json()).toMatchObject({ data: { startComparison: { lanes: [{ lane: 0 }, { lane: 1 }] } } });
  });

  it('has a mutation that sets a budget', async () => {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: snippet('budget') }),
    });
    expect(await response.json()).toMatchObject({ data: { setBudget: { remaining: { amount: '50' } } } });
  });

  it('has a working query of the audit log', async () => {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: snippet('audit') }),
    });
    expect(await response.json()).toMatchObject({ data: { auditLog: { nodes: [{ action: 'api_key.created' }] } } });
  });

  it('has a mutation that limits a key', async () => {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: snippet('key limits') }),
    });
    const limits = { perModel: [{ model: 'sandbox/chat', tokensPerMinute: 200_000 }] };
    expect(await response.json()).toMatchObject({ data: { createApiKey: { apiKey: { limits } } } });
  });

  it('has a subscription that streams a chat to its end', async () => {
    const told = await runFile(process.execPath, 'snippet.mjs', snippet('subscription'));
    expect(told).toContain('text:');
    expect(told).toContain('outputTokens');
  });

  it('lists every built-in provider', () => {
    const page = pageText('docs/providers.md');
    expect(knownProviders.filter((id) => !page.includes(`\`${id}\``))).toEqual([]);
  });

  it('names commands that exist', () => {
    expect(
      execFileSync(process.execPath, [join(root, 'dist/cli/sluice.js'), '--help'], { encoding: 'utf8' }),
    ).toContain('keys');
  });
});
