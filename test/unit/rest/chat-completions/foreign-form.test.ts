import OpenAI from 'openai';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  chunk,
  completion,
  pieces,
  startFakeProvider,
  usage,
  type FakeProvider,
} from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const PATCH = '*** Begin Patch\n+"a"\n*** End Patch';
const WRAPPED = JSON.stringify({ input: PATCH });
const patchTool = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Applies a patch.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
};
const readTool = { name: 'read_file', parameters: { type: 'object', properties: { input: { type: 'string' } } } };

/** As Cursor sends them: agents in the format of Responses, other modes a chat with such a custom tool. */
const forms = {
  responses: {
    model: 'openai/gpt-4.1-mini',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'Change a.' },
      { type: 'function_call', call_id: 'call_0', name: 'ApplyPatch', arguments: PATCH },
      { type: 'function_call_output', call_id: 'call_0', output: 'Done.' },
    ],
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    tools: [patchTool, { type: 'function', strict: false, ...readTool }],
  },
  tools: {
    model: 'openai/gpt-4.1-mini',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Change a.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } }],
      },
      { role: 'tool', tool_call_id: 'call_0', content: 'Done.' },
    ],
    tools: [patchTool, { type: 'function', function: readTool }],
  },
};

type Body = OpenAI.ChatCompletionCreateParamsStreaming;
type Complete = OpenAI.ChatCompletionCreateParamsNonStreaming;
/** The SDK has no type for such bodies. */
const bodyOf = <T>(body: object): T => JSON.parse(JSON.stringify(body));

const sent = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Change a.' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'ApplyPatch', arguments: WRAPPED } }],
    },
    { role: 'tool', tool_call_id: 'call_0', content: 'Done.' },
  ],
  tools: [
    { type: 'function', function: { name: 'ApplyPatch', parameters: { properties: { input: { type: 'string' } } } } },
    { type: 'function', function: readTool },
  ],
};

describe.each(Object.entries(forms))('a chat in the form of %s', (_name, body) => {
  it('is streamed as a chat completion, with the text of a custom tool as the arguments of a function', async () => {
    const parts = [WRAPPED.slice(0, 14), WRAPPED.slice(14)];
    const call = (index: number, id: string, name: string, args: string): object => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
    });
    provider.answerWith(
      pieces(
        [
          chunk({ role: 'assistant', content: 'I change it.' }),
          chunk({ ...call(0, 'call_1', 'ApplyPatch', '') }),
          ...parts.map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
          chunk({ ...call(1, 'call_2', 'read_file', '{"input":"b"}') }),
          chunk({}, 'tool_calls'),
          `data: ${JSON.stringify({ id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'fake-model', choices: [], usage })}\n\n`,
          'data: [DONE]\n\n',
        ],
        'end',
      ),
    );
    const chunks = await client.chat.completions.create(
      bodyOf<Body>({ ...body, stream: true, stream_options: { include_usage: true } }),
    );
    const streamed = ChatCompletionStream.fromReadableStream(chunks.toReadableStream());
    const { choices, usage: counted } = await streamed.finalChatCompletion();
    expect(choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        message: {
          content: 'I change it.',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } },
            { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"input":"b"}' } },
          ],
        },
      },
    ]);
    expect(counted).toMatchObject({ prompt_tokens: 12, completion_tokens: 5 });
    expect(provider.requests[0]?.path).toBe('/v1/chat/completions');
    expect(provider.requests[0]?.json).toMatchObject({ ...sent, stream: true });
  });

  it('is a chat completion where it is not streamed', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: WRAPPED } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    provider.answerWith(completion({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
    const { object, choices } = await client.chat.completions.create(bodyOf<Complete>(body));
    expect(object).toBe('chat.completion');
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'ApplyPatch', arguments: PATCH } }]);
  });
});

it('refuses to continue a response, which only Responses can name', async () => {
  const body = { ...forms.responses, previous_response_id: 'resp_1' };
  await expect(client.chat.completions.create(bodyOf<Complete>(body))).rejects.toMatchObject({
    status: 400,
    param: 'previous_response_id',
  });
});

it('names the members without a place in a chat', async () => {
  const dropped = async (body: object): Promise<string | null> => {
    const { response } = await client.chat.completions.create(bodyOf<Complete>(body)).withResponse();
    return response.headers.get('x-sluice-dropped-params');
  };
  expect(await dropped(forms.responses)).toContain('reasoning.summary');
  expect(await dropped({ ...forms.tools, store: true })).toContain('store');
});

it('relays a chat with a member input as it is', async () => {
  provider.answerWith(completion());
  const body = { ...forms.tools, tools: [{ type: 'function', function: readTool }], input: 'x' };
  await client.chat.completions.create(bodyOf<Complete>(body));
  expect(provider.requests[0]?.json).toMatchObject({ input: 'x', tools: [{ function: readTool }] });
});
