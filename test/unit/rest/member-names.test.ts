import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readResponsesRequest } from '../../../src/gateway/capabilities/responses/parse.ts';
import { Completions } from '../../../src/gateway/completions/completions.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let sent: number;

beforeAll(async () => {
  provider = await startFakeProvider(completion());
  gateway = await startGateway({ openai: provider.url });
});

beforeEach(() => {
  sent = provider.requests.length;
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function post(path: string, body: string | FormData) {
  const headers = { authorization: `Bearer ${secret}`, ...(typeof body === 'string' && json) };
  const answer = await fetch(`${gateway.url}/v1${path}`, { method: 'POST', headers, body });
  const { error = {} } = (await answer.json()) as { error?: Record<string, unknown> };
  return { status: answer.status, code: error.code, param: error.param, message: error.message };
}
function form(fields: Readonly<Record<string, string | File>>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return body;
}

const json = { 'content-type': 'application/json' };

const chat = '/chat/completions';
const hello = '"messages":[{"role":"user","content":"Hello"}]';
const model = '"model":"openai/gpt-4.1-mini"';
const part = (text: string) => `{${model},"messages":[{"role":"user","content":[{"type":"text","text":"a"},${text}]}]}`;
const tool = (text: string) => `{${model},${hello},"tools":[{"type":"function",${text}}]}`;
const wide = 'x'.repeat(20_000);

describe('a member that differs from a known one only in case or escapes', () => {
  it.each([
    ['of a body', chat, `{${model},"Model":"openai/o1-pro",${hello}}`, 'Model', 'model'],
    ['of a body without the known one', chat, `{"MODEL":"openai/gpt-4.1-mini",${hello}}`, 'MODEL', 'model'],
    ['in escapes', chat, `{"\\u006dodel":"openai/gpt-4.1-mini",${hello}}`, 'model', 'model'],
    ['in escapes, a second time', chat, `{${model},"mod\\u0065l":"openai/o1-pro",${hello}}`, 'model', 'model'],
    ['in letters that Go folds', chat, `{${model},${hello},"meſſages":[]}`, 'meſſages', 'messages'],
    ['of messages', chat, `{${model},${hello},"Messages":[]}`, 'Messages', 'messages'],
    [
      'of a long body',
      chat,
      `{${model},"messages":[{"role":"user","content":"${wide}","Content":"b"}]}`,
      'messages[0].Content',
      'content',
    ],
    [
      'of a message',
      chat,
      `{${model},"messages":[{"role":"user","content":"a","Role":"system"}]}`,
      'messages[0].Role',
      'role',
    ],
    ['of a content part', chat, part('{"type":"text","text":"a","Text":"b"}'), 'messages[0].content[1].Text', 'text'],
    [
      'of a picture',
      chat,
      part('{"type":"image_url","image_url":{"url":"https://a.example","URL":"b"}}'),
      'messages[0].content[1].image_url.URL',
      'url',
    ],
    [
      'of a tool call',
      chat,
      `{${model},"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}","Name":"g"}}]}]}`,
      'messages[0].tool_calls[0].function.Name',
      'name',
    ],
    ['of a tool', chat, tool('"function":{"name":"f"},"Function":{"name":"g"}'), 'tools[0].Function', 'function'],
    [
      'of a function',
      chat,
      tool('"function":{"name":"f","Parameters":{}}'),
      'tools[0].function.Parameters',
      'parameters',
    ],
    [
      'of a tool that is allowed',
      chat,
      `{${model},${hello},"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f","Name":"g"}}]}}}`,
      'tool_choice.allowed_tools.tools[0].function.Name',
      'name',
    ],
    ['that chooses a model elsewhere', chat, `{${model},${hello},"Models":["o1-pro"]}`, 'Models', 'models'],
    ['of embeddings', '/embeddings', `{${model},"input":"a","Input":"b"}`, 'Input', 'input'],
    [
      'of moderations',
      '/moderations',
      `{${model},"input":[{"type":"text","text":"a","Text":"b"}]}`,
      'input[0].Text',
      'text',
    ],
    [
      'of rerank',
      '/rerank',
      `{${model},"query":"a","documents":[{"text":"a","Text":"b"}]}`,
      'documents[0].Text',
      'text',
    ],
    ['of speech', '/audio/speech', `{${model},"input":"a","voice":"alloy","Voice":"b"}`, 'Voice', 'voice'],
    ['of pictures', '/images/generations', `{${model},"prompt":"a","Prompt":"b"}`, 'Prompt', 'prompt'],
    [
      'of edits',
      '/images/edits',
      `{${model},"prompt":"a","images":[{"image_url":"https://a.example","Image_URL":"b"}]}`,
      'images[0].Image_URL',
      'image_url',
    ],
  ])('%s is refused with its path', async (_where, path, body, param, meant) => {
    const answer = await post(path, body);
    expect(answer).toMatchObject({ status: 400, code: 'misspelled_parameter', param });
    expect(answer.message).toContain(`Use '${meant}'`);
    expect(provider.requests).toHaveLength(sent);
  });

  it.each([
    ['/audio/transcriptions', 'file', 'Model'],
    ['/audio/translations', 'file', 'PROMPT'],
    ['/images/edits', 'image', 'Model'],
    ['/images/variations', 'image', 'N'],
  ])('of a form at %s is refused', async (path, file, name) => {
    const body = form({ model: 'openai/gpt-image-1', [name]: 'a', [file]: new File(['a'], 'a.png') });
    expect(await post(path, body)).toMatchObject({ status: 400, code: 'misspelled_parameter', param: name });
    expect(provider.requests).toHaveLength(sent);
  });

  it('is refused among the parameters of a completion in GraphQL', async () => {
    const body = { model: 'openai/gpt-4.1-mini', Model: 'o1-pro', messages: [{ role: 'user', content: 'a' }] };
    const input = { key: gateway.key, clientRequestId: 'one', body, after: null };
    const events: unknown[] = [];
    for await (const item of new Completions({ pipeline: gateway.pipeline }).run(input, new AbortController().signal))
      if ('event' in item) events.push(item.event);
    expect(events).toMatchObject([{ type: 'failed', code: 'misspelled_parameter' }]);
  });
});

describe('a member that occurs twice', () => {
  it.each([
    ['in a body', chat, `{${model},${hello},"model":"openai/o1-pro"}`, 'model'],
    ['with the same value', chat, `{${model},${model},${hello}}`, 'model'],
    ['behind a long text', chat, `{${model},"messages":[{"role":"user","content":"${wide}"}],${hello}}`, 'messages'],
    [
      'in a message',
      chat,
      `{${model},"messages":[{"role":"user","content":"a","content":"b"}]}`,
      'messages[0].content',
    ],
    [
      'in the second message',
      chat,
      `{${model},"messages":[{"role":"user","content":"a"},{"role":"user","role":"system","content":"b"}]}`,
      'messages[1].role',
    ],
    ['in a content part', chat, part('{"type":"text","text":"a","text":"b"}'), 'messages[0].content[1].text'],
    ['in a tool', chat, tool('"function":{"name":"f","name":"g"}'), 'tools[0].function.name'],
    ['that nobody knows', chat, `{${model},${hello},"min_p":0.1,"min_p":0.2}`, 'min_p'],
    ['in embeddings', '/embeddings', `{${model},"input":"a","input":"b"}`, 'input'],
    [
      'in a mask',
      '/images/edits',
      `{${model},"prompt":"a","images":[],"mask":{"image_url":"a","image_url":"b"}}`,
      'mask.image_url',
    ],
  ])('%s is refused with its path', async (_where, path, body, param) => {
    expect(await post(path, body)).toMatchObject({ status: 400, code: 'duplicate_parameter', param });
    expect(provider.requests).toHaveLength(sent);
  });

  it('in different letter case is refused even if it is unknown', async () => {
    const body = `{${model},${hello},"min_p":0.1,"Min_P":0.2}`;
    expect(await post(chat, body)).toMatchObject({ status: 400, code: 'misspelled_parameter', param: 'Min_P' });
  });

  it('in a form is refused if the field accepts one value', async () => {
    const body = form({ model: 'openai/gpt-4o-transcribe', file: new File(['a'], 'a.wav') });
    body.append('model', 'openai/whisper-1');
    expect(await post('/audio/transcriptions', body)).toMatchObject({ status: 400, param: 'model' });
    const parts = form({ model: 'openai/gpt-4o-transcribe', file: new File(['a'], 'a.wav') });
    parts.append('chunking_strategy[type]', 'server_vad');
    parts.append('chunking_strategy[type]', 'auto');
    expect(await post('/audio/transcriptions', parts)).toMatchObject({
      status: 400,
      message: expect.stringContaining("'chunking_strategy[type]' is sent twice"),
    });
  });
});

/** Further members of one object, more than are compared as bytes. */
const many = Array.from({ length: 40 }, (_, index) => `"m${index}":${index}`).join(',');
const messagesBody = (members: string) => `{"model":"anthropic/claude","max_tokens":9,${hello},${members}}`;
const geminiBody = (members: string) => `{"contents":[{"role":"user","parts":[{"text":"a"}]}],${members}}`;
const gemini = '/../v1beta/models/gemini/gemini-2.5-pro:generateContent';

describe('a member of an object that no protocol defines', () => {
  const chatBody = (members: string) => `{${model},${hello},${members}}`;

  it.each([
    ['of a chat', chat, chatBody('"new":{"file_id":"a","file_id":"b"}'), 'new.file_id'],
    [
      'of an object in a list',
      chat,
      chatBody('"new":[[{"a":1},{"x":{"file_id":1,"file_id":2}}]]'),
      'new[0][1].x.file_id',
    ],
    ['in escapes', chat, chatBody('"new":{"file_id":"a","file_\\u0069d":"b"}'), 'new.file_id'],
    ['first in escapes', chat, chatBody('"new":{"file_\\u0069d":"a","file_id":"b"}'), 'new.file_id'],
    ['after many others', chat, chatBody(`"new":{"file_id":"a",${many},"file_id":"b"}`), 'new.file_id'],
    ['that contains what names an object', chat, chatBody('"new":{"x":{"file_id":"a"},"x":{}}'), 'new.x'],
    ['in a known member', '/messages', messagesBody('"container":{"id":"a","id":"b"}'), 'container.id'],
    [
      'in a new tool',
      '/messages',
      messagesBody('"tools":[{"type":"new","x":{"file_ids":[],"file_ids":["a"]}}]'),
      'tools[0].x.file_ids',
    ],
    [
      'of a request to Gemini',
      gemini,
      geminiBody('"tools":[{"fileSearch":{"fileSearchStoreNames":["a"],"fileSearchStoreNames":[]}}]'),
      null,
    ],
  ])('is refused where it occurs twice, %s', async (_where, path, body, param) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    if (param !== null) expect(answer.message).toContain(`'${param}'`);
    expect(provider.requests).toHaveLength(sent);
  });

  it.each([
    ['in a body', chat, chatBody('"File_ID":"a"'), 'File_ID', 'file_id'],
    ['in an object', chat, chatBody('"new":{"FILE_ID":"a"}'), 'new.FILE_ID', 'file_id'],
    ['in letters that Go folds', chat, chatBody('"new":{"file_idſ":"a"}'), 'new.file_idſ', 'file_ids'],
    ['of the id of an object', chat, chatBody('"new":{"container":{"Id":"a"}}'), 'new.container.Id', 'id'],
    [
      'of a message',
      '/messages',
      messagesBody('"container":{"Skills":1,"x":{"Skill_id":"a"}}'),
      'container.x.Skill_id',
      'skill_id',
    ],
  ])('is refused where it names an object in other letters, %s', async (_where, path, body, param, meant) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.message).toContain(`'${param}'`);
    expect(answer.message).toContain(`Use '${meant}'`);
    expect(provider.requests).toHaveLength(sent);
  });

  it.each([
    ['deep nesting', chatBody(`"new":${'['.repeat(40)}${']'.repeat(40)}`)],
    ['names of the same length', chatBody('"new":{"file_iD_":1,"abcdefg":2,"gfedcba":3}')],
    ['many members', chatBody(`"new":{${many},"\\u0061":1}`)],
    ['other letters of what names nothing', chatBody('"new":{"Title":"a","title":"b","TITLE":"c"}')],
  ])('is accepted otherwise: %s', async (_what, body) => {
    expect(await post(chat, body)).toMatchObject({ status: 200 });
  });
});

describe('a request for a response', () => {
  it.each([
    [`{${model},"input":"a","Input":"b"}`, 'misspelled_parameter', 'Input'],
    [`{${model},"input":[{"role":"user","content":"a","Content":"b"}]}`, 'misspelled_parameter', 'input[0].Content'],
    [
      `{${model},"input":"a","tools":[{"type":"function","name":"f","Name":"g"}]}`,
      'misspelled_parameter',
      'tools[0].Name',
    ],
    [`{${model},"input":"a","input":"b"}`, 'duplicate_parameter', 'input'],
    [
      `{${model},"input":"a","tools":[{"type":"new","x":{"vector_store_ids":["a"],"vector_store_ids":[]}}]}`,
      'duplicate_parameter',
      'tools[0].x.vector_store_ids',
    ],
    [`{${model},"input":"a","x":{"Container":"a"}}`, 'misspelled_parameter', 'x.Container'],
  ])('%s is refused', (body, code, param) => {
    expect(() => readResponsesRequest(Buffer.from(body))).toThrow(expect.objectContaining({ code, param }));
  });

  it('may contain any member in its schemas', () => {
    const tool = '{"type":"function","name":"f","parameters":{"Name":1,"name":1,"name":2}}';
    readResponsesRequest(Buffer.from(`{${model},"input":"a","tools":[${tool}]}`));
  });
});

describe('free-form members of a protocol', () => {
  it.each([
    [
      'a JSON Schema',
      `{${model},${hello},"tools":[{"type":"function","function":{"name":"f","parameters":{"Name":1,"name":2,"properties":{"Model":{},"model":{},"model":{}}}}}]}`,
    ],
    [
      'the schema of an answer',
      `{${model},${hello},"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"Type":"b","type":"object","type":"object"}}}}`,
    ],
    [
      'the arguments of a call',
      `{${model},"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"model\\":1,\\"Model\\":2}"}}]}]}`,
    ],
    ['metadata', `{${model},${hello},"metadata":{"Model":"a","model":"b"}}`],
    ['biases of tokens', `{${model},${hello},"logit_bias":{"1":0,"2":0}}`],
    [
      'options of a provider',
      `{${model},${hello},"options":{"Model":"a","model":"b","list":[{"a":1},[{"a":1,"A":2}],[],{}]}}`,
    ],
    [
      'a text that reads like members',
      `{${model},"messages":[{"role":"user","content":"\\",\\"model\\":\\"b\\",\\"Model\\":\\"c\\\\"}]}`,
    ],
    [
      'white space and empty values',
      ` {\n"n" : 1 , ${model}\t, ${hello} , "stop" : [ "a" ] , "tools" : [ ] , "stream_options" : null }\r\n`,
    ],
    ['a byte order mark', `\ufeff{${model},${hello}}`],
  ])('are accepted: %s', async (_what, body) => {
    expect(await post(chat, body)).toMatchObject({ status: 200 });
    expect(provider.requests).toHaveLength(sent + 1);
  });
});
