import { describe, expect, it } from 'vitest';
import type { GenerationRequest, UserPart } from '../../../../src/protocols/canonical/generation-request.ts';
import { translated } from './translated.ts';

function contents(messages: GenerationRequest['messages'], model?: string): unknown {
  return translated({ messages }, model === undefined ? {} : { model }).sent.contents;
}

function userPart(part: UserPart): unknown {
  const [content] = [contents([{ role: 'user', content: [part] }])].flat();
  return content && typeof content === 'object' && 'parts' in content ? content.parts : null;
}

const system = { role: 'system' as const, content: 'Be brief.' };
const developer = {
  role: 'developer' as const,
  content: [
    { type: 'text' as const, text: 'Be ' },
    { type: 'text' as const, text: 'kind.' },
  ],
};
const user = { role: 'user' as const, content: 'Hello' };
const said = { role: 'user', parts: [{ text: 'Hello' }] };

describe('messages', () => {
  it('of the system and developer become the system instruction', () => {
    const { sent: body } = translated({ messages: [system, user, developer] });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      contents: [said],
    });
  });

  it('of the system become the first message for a model without a system instruction, or if there are no others', () => {
    expect(translated({ messages: [system, user] }, { model: 'gemma-3-27b-it' }).sent).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }] }, said],
    });
    expect(translated({ messages: [system] }).sent).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }] }],
    });
  });

  it('of one role in sequence become one content', () => {
    const again = { role: 'user' as const, content: 'Again' };
    const assistant = (content: string) => ({ role: 'assistant' as const, content });
    expect(contents([user, again, assistant('a'), assistant('b'), assistant(''), user])).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }, { text: 'Again' }] },
      { role: 'model', parts: [{ text: 'a' }, { text: 'b' }] },
      said,
    ]);
  });

  it.each<[string, UserPart, unknown]>([
    [
      'a data: image',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
    ],
    [
      'an escaped data: image',
      { type: 'image_url', image_url: { url: 'data:image/svg+xml,%3Csvg/%3E' } },
      { inlineData: { mimeType: 'image/svg+xml', data: 'PHN2Zy8+' } },
    ],
    [
      'a public image',
      { type: 'image_url', image_url: { url: 'https://a.example/b/c.JPG?d=e.png' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/b/c.JPG?d=e.png' } },
    ],
    [
      'a public image of no ending',
      { type: 'image_url', image_url: { url: 'https://a.example/b' } },
      { fileData: { fileUri: 'https://a.example/b' } },
    ],
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
    ],
    [
      'a data: file',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    ],
    [
      'a bare file',
      { type: 'file', file: { file_data: 'JVBE', filename: 'a.pdf' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    ],
    [
      'a file of Google’s',
      { type: 'file', file: { file_id: 'files/abc', filename: 'talk.mp4' } },
      { fileData: { mimeType: 'video/mp4', fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
    ],
    [
      'a file elsewhere',
      { type: 'file', file: { file_id: 'gs://bucket/a' } },
      { fileData: { fileUri: 'gs://bucket/a' } },
    ],
  ])('contain %s', (_, part, expected) => expect(userPart(part)).toEqual([expected]));

  it.each<[string, UserPart, string]>([
    [
      'a data: URL without data',
      { type: 'image_url', image_url: { url: 'data:image/png;base64' } },
      'messages[0].content[0].image_url.url',
    ],
    [
      'a data: URL of bad escapes',
      { type: 'image_url', image_url: { url: 'data:text/plain,%zz' } },
      'messages[0].content[0].image_url.url',
    ],
    ['a file of nothing', { type: 'file', file: {} }, 'messages[0].content[0].file'],
    ['a bare file of no type', { type: 'file', file: { file_data: 'JVBE' } }, 'messages[0].content[0].file.file_data'],
  ])('with %s are rejected with their path', (_, part, param) =>
    expect(() => userPart(part)).toThrow(expect.objectContaining({ code: 'invalid_value', param, status: 400 })),
  );

  it('of tools are function calls and responses, parallel results in one content', () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: args },
    });
    const result = (id: string, content: string) => ({ role: 'tool' as const, tool_call_id: id, content });
    const messages = [
      user,
      {
        role: 'assistant' as const,
        content: 'Wait.',
        tool_calls: [call('1', 'f', '{"a":[1]}'), call('2', 'g', ''), call('3', 'h', '[broken')],
      },
      result('2', '{"b":2}'),
      result('1', 'plain'),
      result('3', '{"$ref":"x"}'),
      user,
    ];
    expect(contents(messages, 'gemini-2.5-flash')).toEqual([
      said,
      {
        role: 'model',
        parts: [
          { text: 'Wait.' },
          { functionCall: { id: '1', name: 'f', args: { a: [1] } } },
          { functionCall: { id: '2', name: 'g', args: {} } },
          { functionCall: { id: '3', name: 'h', args: { arguments: '[broken' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '2', name: 'g', response: { b: 2 } } },
          { functionResponse: { id: '1', name: 'f', response: { result: 'plain' } } },
          { functionResponse: { id: '3', name: 'h', response: { result: '{"$ref":"x"}' } } },
        ],
      },
      said,
    ]);
  });

  it('contain only details that were sent with them', () => {
    const detail = (id: string, data: string) => ({
      type: 'reasoning.encrypted',
      format: 'google-gemini-v1',
      id,
      data,
    });
    const message = {
      role: 'assistant' as const,
      content: 'Shortened',
      reasoning_details: [
        detail('part:0:0:0', '{"functionCall":{"name":"f"}}'),
        detail('part:0:0:0', 'no JSON'),
        detail('text:400:500:7', 'behind-the-end'),
        detail('nobody', 'of-a-call-that-is-gone'),
        { type: 'reasoning.text', format: 'google-gemini-v1', text: 'unsigned' },
        null,
      ],
    };
    expect(contents([user, message])).toEqual([
      said,
      { role: 'model', parts: [{ text: 'Shortened' }, { text: '', thoughtSignature: 'behind-the-end' }] },
    ]);
  });

  it('of functions are the same without ids', () => {
    const messages = [
      user,
      { role: 'assistant' as const, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function' as const, name: 'f', content: '[1]' },
    ];
    expect(contents(messages, 'gemini-2.5-flash')).toEqual([
      said,
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: '[1]' } } }] },
    ]);
  });

  it('without a matching call are rejected', () => {
    const messages = [user, { role: 'tool' as const, tool_call_id: 'nowhere', content: '' }];
    expect(() => contents(messages)).toThrow(
      expect.objectContaining({ param: 'messages[1].tool_call_id', status: 400 }),
    );
  });

  it('nested too deeply to be serialized are rejected', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    const messages = [
      {
        role: 'assistant' as const,
        tool_calls: [{ id: '1', type: 'function' as const, function: { name: 'f', arguments: deep } }],
      },
    ];
    expect(() => contents(messages)).toThrow(expect.objectContaining({ code: 'invalid_value', status: 400 }));
  });
});
