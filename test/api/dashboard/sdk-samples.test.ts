import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sdkSamples } from '../../../src/dashboard/design/sdk-samples.ts';
import { keyCode } from '../../../src/dashboard/design/key-code.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { mayBeMissing } from '../../harness/tool-paths.ts';
import { modelNames, startRecordedModels, type RecordedModels } from '../rest/frameworks/recorded-models.ts';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const python = process.env.SLUICE_TEST_PYTHON;
const body = {
  model: 'sandbox/chat',
  messages: [
    { role: 'system', content: 'Say "it’s" as \\ it is.' },
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Say hello again.' },
  ],
  max_completion_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
};

const sdks = ['OpenAI SDK, Responses', 'Anthropic SDK', 'Google GenAI SDK'];

let account: TestAccount;
let recorded: RecordedModels;
/** Inside the checkout, so that the samples can import its packages. */
let folder: string;

beforeAll(async () => {
  account = await newAccount();
  recorded = await startRecordedModels();
  folder = mkdtempSync(join(here, '.run-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await recorded.close();
  await account.dispose();
});

const samples = (given: object = body, url = account.url) => sdkSamples({ ...given }, url, keyCode(null));

/** What the sample prints, with the key in the environment. */
async function outputOf(
  sdk: string,
  language: string,
  given: object = body,
  { url, apiKey }: { readonly url: string; readonly apiKey: string } = account,
): Promise<string> {
  const code = samples(given, url).find((each) => each.sdk === sdk && each.language === language)?.code ?? '';
  const [command, name] = language === 'Python' ? [python ?? 'python3', 'sample.py'] : [process.execPath, 'sample.ts'];
  const file = join(folder, name);
  writeFileSync(file, code);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SLUICE_API_KEY: apiKey };
  return (await run(command, [file], { cwd: folder, env })).stdout;
}

describe('code for the SDK of another API', () => {
  it.each(sdks)('%s runs in TypeScript', async (sdk) => {
    expect((await outputOf(sdk, 'TypeScript')).trim()).not.toBe('');
  });

  it('compiles with the types of the SDKs', async () => {
    const files = sdks.map((sdk, index) => {
      const code = samples().find((each) => each.sdk === sdk && each.language === 'TypeScript')?.code ?? '';
      const file = join(folder, `typed-${index}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const tsc = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--target', 'esnext'];
    const ofNode = ['--module', 'nodenext', '--types', 'node'];
    await run(tsc, [...options, ...ofNode, ...files], { cwd: folder }).catch((error: { readonly stdout: string }) =>
      expect.fail(error.stdout),
    );
  });

  describe.skipIf(!python && mayBeMissing).each(sdks)('%s in Python', (sdk) => {
    it.each(modelNames)('prints what the model %s answers, which receives the whole conversation', async (model) => {
      const printed = await outputOf(sdk, 'Python', { ...body, model }, recorded.server);
      expect(printed.trim()).toBe(recorded.textOf(model, false));
      const received = JSON.parse(recorded.lastRequest().body);
      const texts = JSON.stringify(received);
      for (const { content } of body.messages) expect(texts).toContain(JSON.stringify(content).slice(1, -1));
      const { temperature } = received.generationConfig ?? received;
      expect(temperature).toBe(0.5);
    });

    it('is complete without a system prompt and parameters', async () => {
      const { model, messages } = body;
      const short = { model, messages: messages.slice(1, 2) };
      expect((await outputOf(sdk, 'Python', short)).trim()).not.toBe('');
    });
  });

  it.each([
    ['an image', { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }] }] }],
    ['a tool', { tools: [{ type: 'function', function: { name: 'look' } }] }],
    ['the result of a tool', { messages: [{ role: 'tool', tool_call_id: 'a', content: '1' }] }],
    ['a parameter that not every API has', { seed: 7 }],
  ])('is not offered for a request with %s', (_what, change) => {
    expect(samples({ ...body, ...change })).toEqual([]);
  });
});
