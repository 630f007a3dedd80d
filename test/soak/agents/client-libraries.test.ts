import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as LangChain from '@langchain/openai';
import type * as OpenAi from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { hasAgents } from '../../harness/agent-programs.ts';
import { startConfigured } from '../../harness/configured-server.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { mayBeMissing } from '../../harness/tool-paths.ts';
import { codeOf, inHome, setUpOf } from './apply-set-up.ts';
import { FINAL_TEXT, finalTurn, type ScriptedTurn } from './script.ts';
import { startScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

// These programs run on no test machine: Zed and Cursor have windows, the others are services of several gigabytes or with
// databases of their own. What they send is sent by the libraries that they use, at the versions that they pin, or as their
// source sends it, configured by nothing but the set-up.

const QUESTION = 'Say hello.';
const SANDBOX = /sandbox.*\b(?:no|not an) AI model\b/;

const { SLUICE_TEST_PYTHON: python } = process.env;
const { resolve } = createRequire(new URL('../../agents/package.json', import.meta.url));

/** A library of `test/agents`, at the version that the program pins. */
const pinned = (name: string): string => pathToFileURL(resolve(name)).href;

let account: TestAccount;
let provider: ScriptedProvider;
let server: ServerProcess;

beforeAll(async () => {
  account = await newAccount();
  provider = await startScriptedProvider();
  server = await startConfigured(`
providers:
  chat-server: { base_url: "${provider.origin}/v1", billed: false }
`);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
  await account.dispose();
});

describe.skipIf(!python && mayBeMissing)('the set-up of Open WebUI', () => {
  it('leads its requests to the server', () => {
    const client = fileURLToPath(new URL('open-webui-client.py', import.meta.url));
    const programs = { 'open-webui': [python ?? 'python3', client] };
    return inHome(programs, {}, async ({ shell }) => {
      const code = codeOf('Open WebUI', account.url, 'sandbox/chat');
      const { stdout } = await shell(`export QUESTION='${QUESTION}'\n${code}`, account.apiKey);
      expect(stdout).toMatch(SANDBOX);
    });
  });
});

/** The part of `librechat-data-provider` by which LibreChat reads its configuration. */
interface LibreChat {
  readonly configSchema: { parse(value: unknown): unknown };
  extractEnvVariable(value: string): string;
}

const endpointSchema = z.object({
  endpoints: z.object({
    custom: z.tuple([
      z.object({
        apiKey: z.string(),
        baseURL: z.string(),
        models: z.object({ default: z.array(z.string()), fetch: z.boolean() }),
      }),
    ]),
  }),
});

describe.skipIf(!hasAgents)('the set-up of LibreChat', () => {
  it('is valid by its schema, and leads its requests to the server', async () => {
    const { configSchema, extractEnvVariable }: LibreChat = await import(pinned('librechat-data-provider'));
    const { ChatOpenAI }: typeof LangChain = await import(pinned('@langchain/openai'));
    const config = configSchema.parse(parse(codeOf('LibreChat', account.url, 'sandbox/chat')));
    const [{ apiKey: written, baseURL, models }] = endpointSchema.parse(config).endpoints.custom;
    const apiKey = withVariable('SLUICE_API_KEY', account.apiKey, () => extractEnvVariable(written));
    expect(models.fetch).toBe(true);
    const listed = await fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    const [model = ''] = models.default;
    expect(z.object({ data: z.array(z.object({ id: z.string() })) }).parse(await listed.json()).data).toContainEqual(
      expect.objectContaining({ id: model }),
    );
    const chat = new ChatOpenAI({ apiKey, model, streamUsage: true, configuration: { baseURL } });
    let text = '';
    for await (const chunk of await chat.stream(QUESTION)) text += chunk.text;
    expect(text).toMatch(SANDBOX);
  });
});

/** Calls with a variable of the environment. */
function withVariable<T>(name: string, value: string, call: () => T): T {
  const { [name]: before } = process.env;
  process.env[name] = value;
  try {
    return call();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

describe.skipIf(!hasAgents)('the set-up of n8n', () => {
  /** The members of its credential "OpenAI", with what the page shows. */
  const credentials = (): { readonly apiKey: string; readonly url: string } => ({
    apiKey: account.apiKey,
    url: `${account.url}${setUpOf('n8n').path}`,
  });

  it('lists the models that the key may use', async () => {
    const { OpenAI }: typeof OpenAi = await import(pinned('openai'));
    const { apiKey, url: baseURL } = credentials();
    const { data } = await new OpenAI({ apiKey, baseURL }).models.list();
    expect(data.map(({ id }) => id)).toContain('sandbox/chat');
  });

  // The switch "Use Responses API" of its chat model, which is on in new nodes.
  it.each([true, false])('leads its requests to the server (Responses: %s)', async (useResponsesApi) => {
    const { ChatOpenAI }: typeof LangChain = await import(pinned('@langchain/openai'));
    const { apiKey, url: baseURL } = credentials();
    const fields = { apiKey, model: 'sandbox/chat', timeout: 60_000, maxRetries: 2, supportsStrictToolCalling: false };
    const chat = new ChatOpenAI({ ...fields, configuration: { baseURL }, modelKwargs: {}, useResponsesApi });
    expect((await chat.invoke(QUESTION)).text).toMatch(SANDBOX);
  });
});

/**
 * What Zed reads, and no other member. Source: OpenAiCompatibleSettingsContent in
 * https://github.com/zed-industries/zed/blob/main/crates/settings_content/src/language_model.rs
 */
const zedSettings = z.strictObject({
  language_models: z.strictObject({
    openai_compatible: z.record(
      z.string(),
      z.strictObject({
        api_url: z.string(),
        available_models: z.tuple([
          z.strictObject({
            name: z.string(),
            display_name: z.string().optional(),
            max_tokens: z.int(),
            max_output_tokens: z.int().optional(),
            max_completion_tokens: z.int().optional(),
            capabilities: z
              .strictObject({ tools: z.boolean(), images: z.boolean(), parallel_tool_calls: z.boolean() })
              .partial()
              .optional(),
          }),
        ]),
      }),
    ),
  }),
});

describe('the set-up of Zed', () => {
  it('has the members that Zed reads, and leads its requests to the server', async () => {
    const settings = zedSettings.parse(JSON.parse(codeOf('Zed', server.url, 'chat-server/model')));
    const [entry] = Object.entries(settings.language_models.openai_compatible);
    if (entry === undefined) expect.unreachable();
    const [
      id,
      {
        api_url: url,
        available_models: [{ name: model }],
      },
    ] = entry;
    const environment = { SLUICE_API_KEY: server.apiKey };
    const [, apiKey] = Object.entries(environment).find(([name]) => name === `${id}_API_KEY`.toUpperCase()) ?? [];
    await runsTool({ url, apiKey, model }, (messages) => ({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      tools: [{ type: 'function', function: TOOL }],
    }));
  });
});

describe('the set-up of Cursor', () => {
  const shown = (): Client => ({
    url: `${server.url}${setUpOf('Cursor').path}`,
    apiKey: server.apiKey,
    model: 'chat-server/model',
  });

  // Ask mode sends a chat with nested functions and a custom tool in the format of Responses.
  it('leads the requests of its chat to the server', () =>
    runsTool(shown(), (messages) => ({
      model: shown().model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: TOOL }, PATCH_TOOL],
    })));

  it('leads the requests of its agent to the server, which have the format of Responses', () =>
    runsTool(shown(), (messages) => ({
      model: shown().model,
      input: messages.flatMap(({ role, content, tool_call_id: call_id, tool_calls: calls }) => {
        if (role === 'tool') return [{ type: 'function_call_output', call_id, output: content }];
        if (!Array.isArray(calls)) return [{ role, content }];
        return calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called }));
      }),
      stream: true,
      stream_options: { include_usage: true },
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
      text: { verbosity: 'low' },
      store: false,
      tools: [{ type: 'function', ...TOOL }, PATCH_TOOL],
    })));
});

/** As Cursor sends it. Source: https://github.com/BerriAI/litellm/pull/34029 */
const PATCH_TOOL = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Applies a patch.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
};

const TOOL = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

interface Client {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

type Messages = readonly Readonly<Record<string, unknown>>[];

/** The model calls the tool, and responds to its result. @param bodyOf the request of a turn */
async function runsTool({ url, apiKey }: Client, bodyOf: (messages: Messages) => object): Promise<void> {
  const call = { id: 'call_1_Zk3', name: TOOL.name, arguments: { path: 'a.txt' }, output: '1-done' };
  const calling: ScriptedTurn = { reasoning: '', secret: '', text: '', calls: [call], inputTokens: 100 };
  const { played, unexpected } = provider.play('chat', [calling, finalTurn(2)]);
  const asked: Messages = [{ role: 'user', content: 'What is in a.txt?' }];
  const ask = async (messages: Messages): Promise<Answer> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify(bodyOf(messages));
    return answerOf(await (await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).text());
  };
  const { calls } = await ask(asked);
  const said = { role: 'assistant', content: null, tool_calls: calls.map((each) => ({ ...each, type: 'function' })) };
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: call.output }));
  const { text } = await ask([...asked, said, ...results]);
  expect(unexpected).toEqual([]);
  expect(played.map(({ actual }) => actual)).toEqual(played.map(({ expected }) => expected));
  expect(played).toHaveLength(2);
  expect(text).toBe(FINAL_TEXT);
}

interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly function: { readonly name: string; arguments: string } }[];
}

const chunkSchema = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().nullish(),
        tool_calls: z
          .array(
            z.object({
              index: z.int(),
              id: z.string().optional(),
              function: z.object({ name: z.string().optional(), arguments: z.string() }),
            }),
          )
          .nullish(),
      }),
    }),
  ),
});

/** Out of the chunks of a streamed chat. */
function answerOf(stream: string): Answer {
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  let text = '';
  for (const [, data = ''] of stream.matchAll(/^data: (.*)$/gm)) {
    if (data === '[DONE]') return { text, calls };
    for (const { delta } of chunkSchema.parse(JSON.parse(data)).choices) {
      text += delta.content ?? '';
      for (const { index, id = '', function: part } of delta.tool_calls ?? []) {
        const call = (calls[index] ??= { id, function: { name: part.name ?? '', arguments: '' } });
        call.function.arguments += part.arguments;
      }
    }
  }
  return expect.unreachable(`the stream does not end: ${stream}`);
}
