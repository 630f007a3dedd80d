import {
  array,
  constantFrom,
  double,
  integer,
  jsonValue,
  oneof,
  sample,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';

const SEED = 20_261_126;

/** A text request in a client's protocol, as its wrong forms are made of it. */
export type Template = Readonly<Record<string, unknown>>;

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const messagesTemplate: Template = {
  model: 'sandbox/chat',
  max_tokens: 20,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  stop_sequences: ['END'],
  temperature: 0.5,
  top_p: 0.9,
  top_k: 4,
  stream: false,
  metadata: { user_id: 'u-1' },
  service_tier: 'auto',
  tools: [
    { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { at: { type: 'string' } } } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
  container: null,
  mcp_servers: [],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        { type: 'document', title: 'A', source: { type: 'text', media_type: 'text/plain', data: 'A text.' } },
        { type: 'search_result', source: 'a', title: 'b', content: [{ type: 'text', text: 'c' }] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2ln' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'it' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', is_error: false, content: [{ type: 'text', text: 'A cat.' }] },
        { type: 'text', text: 'And?' },
      ],
    },
  ],
};

export const completionsTemplate: Template = {
  model: 'sandbox/chat',
  prompt: 'Once upon a time',
  suffix: null,
  max_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
  n: 1,
  best_of: 1,
  stream: false,
  stream_options: null,
  logprobs: null,
  echo: false,
  stop: ['END'],
  presence_penalty: 0.1,
  frequency_penalty: 0.1,
  logit_bias: { '50256': -100 },
  seed: 1,
  user: 'u-1',
};

export const geminiTemplate: Template = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  generationConfig: {
    maxOutputTokens: 20,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    stopSequences: ['END'],
    candidateCount: 1,
    seed: 1,
    presencePenalty: 0.1,
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
    responseLogprobs: false,
    thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  labels: { a: 'b' },
  tools: [
    { functionDeclarations: [{ name: 'look', description: 'Looks.', parameters: { type: 'OBJECT', properties: {} } }] },
    { googleSearch: {} },
    { code_execution: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['look'] } },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'What is it?' },
        { inlineData: { mimeType: 'image/png', data: png } },
        { file_data: { file_uri: 'https://example.com/a.png', mime_type: 'image/png' } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true },
        { functionCall: { id: 'call_1', name: 'look', args: { at: 'it' } }, thoughtSignature: 'c2ln' },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'look', response: { output: 'A cat.' } } }] },
  ],
};

const odd: Arbitrary<unknown> = oneof(
  constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    -1e308,
    '',
    '\u0000',
    '\ud800',
    'auto',
    [],
    {},
    [[]],
    [null],
    [{}],
  ),
  constantFrom<unknown>(
    { type: 'text' },
    { type: 'nothing' },
    { type: '__proto__' },
    { constructor: { prototype: {} } },
    [{ type: 'text', text: 1 }],
    'https://[',
    'data:image/png;base64,!',
    'x'.repeat(300),
    '__proto__',
    'constructor',
    'toString',
  ),
  jsonValue({ maxDepth: 3 }),
  string(),
  double(),
  integer({ min: 30, max: 600 }).map(nested),
);

/** Deep enough to end a recursion that has no bound. */
function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let at = 0; at < depth; at++)
    value = at % 2 === 0 ? [value] : { [depth % 2 === 0 ? 'parts' : 'content']: value };
  return value;
}

type Change = readonly [at: number, value: unknown, kind: 'replace' | 'remove' | 'double'];

/** Paths of all members of a value, its own included. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

function changed(template: Template, changes: readonly Change[]): unknown {
  let root: unknown = structuredClone(template);
  for (const [at, given, kind] of changes) {
    // A copy: constants are shared, and a value within itself has no JSON.
    const value = structuredClone(given);
    const paths = pathsOf(root);
    const path = paths[at % paths.length] ?? [];
    const name = path.at(-1);
    if (name === undefined) {
      // The whole body is seldom replaced: it would only be refused for having no model.
      if (at % 7 === 0) root = value;
      continue;
    }
    let parent: unknown = root;
    for (const step of path.slice(0, -1)) parent = Reflect.get(Object(parent), step);
    if (typeof parent !== 'object' || parent === null) continue;
    if (Array.isArray(parent)) {
      if (kind === 'remove') parent.splice(Number(name), 1);
      else if (kind === 'double') parent.push(structuredClone(parent[Number(name)]));
      else parent[Number(name)] = value;
    } else if (kind === 'remove') Reflect.deleteProperty(parent, name);
    else Reflect.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return root;
}

/** Bodies of a route, most of them wrong; the same each time. */
export function malformedTextRequests(template: Template, count: number): string[] {
  const kinds = constantFrom<Change[2]>('replace', 'replace', 'replace', 'remove', 'double');
  const changes = array(tuple(integer({ min: 0, max: 10_000 }), odd, kinds), { minLength: 1, maxLength: 4 });
  const bodies = oneof(
    { weight: 20, arbitrary: changes.map((all) => JSON.stringify(changed(template, all)) ?? '') },
    { weight: 1, arbitrary: changes.map((all) => (JSON.stringify(changed(template, all)) ?? '').slice(0, -1)) },
    { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: string() },
  );
  return sample(bodies, { numRuns: count, seed: SEED });
}
