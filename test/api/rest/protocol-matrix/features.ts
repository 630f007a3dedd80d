import type { RequestContent, ResponseContent, Turn } from './matrix-protocol.ts';

/** One pixel. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Stands for the address of the document, which is known when the tests run. */
export const DOCUMENT_URL = 'https://documents.example/a.pdf';
export const DOCUMENT = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
export const SIGNATURE = Buffer.from('a signature of the provider, which it needs back unchanged').toString('base64');

const hello: Turn = { role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
const schema = {
  type: 'object',
  properties: { where: { type: 'string' } },
  required: ['where'],
  additionalProperties: false,
};
const look = { name: 'look', schema };
const calls = [
  { id: 'call_aaaaaaaa1', name: 'look', input: { where: 'left' } },
  { id: 'call_aaaaaaaa2', name: 'look', input: { where: 'right' } },
];
const results = calls.map(({ id, name, input }) => ({ id, name, text: `seen ${input.where}` }));

/** What a request says, and whether a provider received it. */
export interface RequestFeature {
  readonly name: string;
  readonly content: RequestContent;
  arrived(received: RequestContent): boolean;
}

const callsIn = ({ turns }: RequestContent) =>
  turns.flatMap((turn) => (turn.role === 'assistant' ? [...(turn.calls ?? [])] : []));
const resultsIn = ({ turns }: RequestContent) =>
  turns.flatMap((turn) => (turn.role === 'tool' ? [...turn.results] : []));
const partsIn = ({ turns }: RequestContent) => turns.flatMap((turn) => (turn.role === 'user' ? [...turn.parts] : []));
const textIn = (content: RequestContent): string =>
  content.turns.map((turn) => (turn.role === 'assistant' ? (turn.text ?? '') : '')).join('');

export const requestFeatures: readonly RequestFeature[] = [
  {
    name: 'System instructions',
    content: { system: 'Be brief.', turns: [hello] },
    arrived: ({ system }) => system?.includes('Be brief.') === true,
  },
  {
    name: 'Earlier turns',
    content: {
      turns: [
        hello,
        { role: 'assistant', text: 'Hi there.' },
        { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
      ],
    },
    arrived: (received) => textIn(received) === 'Hi there.',
  },
  {
    name: 'Images',
    content: {
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'Look.' },
            { type: 'image', data: IMAGE },
          ],
        },
      ],
    },
    arrived: (received) => partsIn(received).some((part) => part.type === 'image' && part.data === IMAGE),
  },
  {
    name: 'Documents (PDF)',
    content: {
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'Read.' },
            { type: 'document', data: DOCUMENT },
          ],
        },
      ],
    },
    arrived: (received) => partsIn(received).some((part) => part.type === 'document' && part.data === DOCUMENT),
  },
  {
    name: 'Documents by URL',
    content: {
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'Read.' },
            { type: 'link', url: DOCUMENT_URL },
          ],
        },
      ],
    },
    // Sluice fetches it where the provider does not.
    arrived: (received) =>
      partsIn(received).some(
        (part) =>
          (part.type === 'link' && part.url === DOCUMENT_URL) || (part.type === 'document' && part.data === DOCUMENT),
      ),
  },
  {
    name: 'Tools',
    content: { turns: [hello], tools: [look] },
    arrived: ({ tools }) => tools?.[0]?.name === 'look' && JSON.stringify(tools[0].schema).includes('"where"'),
  },
  {
    name: 'A required tool call',
    content: { turns: [hello], tools: [look], toolChoice: 'required' },
    arrived: ({ toolChoice }) => toolChoice === 'required',
  },
  {
    name: 'One named tool',
    content: { turns: [hello], tools: [look, { name: 'find', schema }], toolChoice: 'find' },
    arrived: ({ toolChoice, tools }) =>
      toolChoice === 'find' || (toolChoice === 'required' && tools?.length === 1 && tools[0]?.name === 'find'),
  },
  {
    name: 'Parallel tool calls and their results',
    content: { turns: [hello, { role: 'assistant', calls }, { role: 'tool', results }], tools: [look] },
    arrived: (received) =>
      callsIn(received)
        .map(({ input }) => JSON.stringify(input))
        .join() === calls.map(({ input }) => JSON.stringify(input)).join() &&
      resultsIn(received).every(({ text }, index) => text.includes(results[index]?.text ?? '?')) &&
      resultsIn(received).length === 2,
  },
  {
    name: 'Images in tool results',
    content: {
      turns: [
        hello,
        { role: 'assistant', calls: calls.slice(0, 1) },
        { role: 'tool', results: results.slice(0, 1).map((result) => ({ ...result, image: IMAGE })) },
      ],
      tools: [look],
    },
    arrived: (received) =>
      resultsIn(received)[0]?.image === IMAGE ||
      partsIn(received).some((part) => part.type === 'image' && part.data === IMAGE),
  },
  {
    name: 'Structured output (JSON schema)',
    content: { turns: [hello], schema },
    arrived: ({ schema: received }) => JSON.stringify(received ?? {}).includes('"where"'),
  },
  { name: 'Reasoning', content: { turns: [hello], thinks: true }, arrived: ({ thinks }) => thinks === true },
  {
    name: 'Maximum output tokens',
    content: { turns: [hello], maxTokens: 77 },
    arrived: ({ maxTokens }) => maxTokens === 77,
  },
  {
    name: 'Temperature',
    content: { turns: [hello], temperature: 0.4 },
    arrived: ({ temperature }) => temperature === 0.4,
  },
  { name: 'Stop sequences', content: { turns: [hello], stop: 'END' }, arrived: ({ stop }) => stop === 'END' },
];

/** What a provider answers, and whether a client received it. */
export interface ResponseFeature {
  readonly name: string;
  readonly content: ResponseContent;
}

export const responseFeatures: readonly ResponseFeature[] = [
  { name: 'Text', content: { text: 'It is sunny.', stop: 'stop' } },
  { name: 'A tool call', content: { calls: calls.slice(0, 1), stop: 'tools' } },
  { name: 'Parallel tool calls', content: { text: 'I look.', calls, stop: 'tools' } },
  { name: 'Readable reasoning', content: { thinking: 'Where is it?', text: 'There.', stop: 'stop' } },
  { name: 'Refusals', content: { text: 'I cannot help with that.', stop: 'refusal' } },
  { name: 'The maximum length as reason to stop', content: { text: 'It is su', stop: 'length' } },
  { name: 'Cached input tokens', content: { text: 'It is sunny.', stop: 'stop', cachedTokens: 1_024 } },
];

/** A turn of reasoning with a call, whose signature its provider needs back. */
export const signedTurn: ResponseContent = {
  thinking: 'Where is it?',
  signature: SIGNATURE,
  calls: calls.slice(0, 1),
  stop: 'tools',
};
export const signedResults = results.slice(0, 1);
export const signedTools = [look];
export { hello };
