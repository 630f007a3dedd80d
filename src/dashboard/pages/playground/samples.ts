import type { Sample } from '../../design/sample.ts';
import { sdkSamples } from '../../design/sdk-samples.ts';
import { keyCode, type KeyCode } from '../../design/key-code.ts';
import type { Capability } from './capabilities.ts';

/** A request for which code is generated. */
export interface SampleRequest {
  readonly capability: Capability;
  readonly body: Readonly<Record<string, unknown>>;
}

export const paths: Readonly<Record<Capability, string>> = {
  chat: '/v1/chat/completions',
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
  embeddings: '/v1/embeddings',
  moderation: '/v1/moderations',
  video: '/v1/videos',
};

const methods: Readonly<Record<Capability, string>> = {
  chat: 'chat.completions.create',
  images: 'images.generate',
  speech: 'audio.speech.create',
  transcription: 'audio.transcriptions.create',
  embeddings: 'embeddings.create',
  moderation: 'moderations.create',
  video: 'videos.create',
};

const SAMPLE_FILE = 'recording.wav';

/** Code for the request in each language. @param secret with null, the code reads the key from the environment */
export function samplesOf(request: SampleRequest, origin: string, secret: string | null = null): Sample[] {
  const key = keyCode(secret);
  return [
    { language: 'curl', code: curl(request, origin, key) },
    { language: 'TypeScript', code: typescript(request, origin, key) },
    { language: 'Python', code: python(request, origin, key) },
    ...graphql(request, origin, key),
    ...(request.capability === 'chat' ? sdkSamples(request.body, origin, key) : []),
  ];
}

function curl({ capability, body }: SampleRequest, origin: string, key: KeyCode): string {
  const output = capability === 'speech' ? ` \\\n  --output speech.${textOf(body.response_format) || 'mp3'}` : '';
  const head = `curl ${origin}${paths[capability]} \\\n  -H "Authorization: Bearer ${key.shell}"`;
  if (capability === 'transcription')
    return [
      head,
      `-F file=@${SAMPLE_FILE}`,
      ...Object.entries(body).map(([name, value]) => `-F ${shell(`${name}=${String(value)}`)}`),
    ].join(' \\\n  ');
  return `${head} \\\n  -H "Content-Type: application/json" \\\n  -d ${shell(JSON.stringify(body, null, 2))}${output}`;
}

function typescript({ capability, body }: SampleRequest, origin: string, key: KeyCode): string {
  const file = capability === 'transcription';
  const given = JSON.stringify(capability === 'chat' ? { ...body, stream: true } : body, null, 2);
  const argument = file ? given.replace('{', `{\n  "file": createReadStream('${SAMPLE_FILE}'),`) : given;
  return `${file ? "import { createReadStream } from 'node:fs';\n" : ''}${capability === 'speech' ? "import { writeFile } from 'node:fs/promises';\n" : ''}import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${key.typescript} });

const response = await client.${methods[capability]}(${argument});
${typescriptEnding[capability]}`;
}

const typescriptEnding: Readonly<Record<Capability, string>> = {
  chat: `for await (const chunk of response) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`,
  images: 'console.log(response.data);',
  speech: `await writeFile('speech.mp3', Buffer.from(await response.arrayBuffer()));`,
  transcription: 'console.log(response);',
  embeddings: 'console.log(response.data.map(({ embedding }) => embedding.length));',
  moderation: 'console.log(response.results);',
  video: 'console.log(response.id, response.status);',
};

function python({ capability, body }: SampleRequest, origin: string, key: KeyCode): string {
  const members = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value)},`);
  if (capability === 'transcription') members.unshift(`    file=open("${SAMPLE_FILE}", "rb"),`);
  if (capability === 'chat') members.push('    stream=True,');
  return `${key.pythonImport}from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${key.python})

response = client.${methods[capability]}(
${members.join('\n')}
)
${pythonEnding[capability]}`;
}

const pythonEnding: Readonly<Record<Capability, string>> = {
  chat: `for chunk in response:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`,
  images: 'print(response.data)',
  speech: 'response.write_to_file("speech.mp3")',
  transcription: 'print(response)',
  embeddings: 'print([len(each.embedding) for each in response.data])',
  moderation: 'print(response.results)',
  video: 'print(response.id, response.status)',
};

/** GraphQL code for chat and for the kinds of comparisons. */
function graphql({ capability, body }: SampleRequest, origin: string, key: KeyCode): Sample[] {
  const { model, messages, prompt, input, ...parameters } = body;
  const post = (query: string, variables: object): Sample => ({
    language: 'GraphQL',
    code: `# POST ${origin}/graphql, Authorization: Bearer ${key.shell}
${query}

# variables
${JSON.stringify(variables, null, 2)}`,
  });
  const start = `mutation StartComparison($input: StartComparisonInput!) {
  startComparison(input: $input) {
    id
  }
}

# then query: comparison(id: $id) { lanes { status output similarity media { url } cost { amount } } }`;
  const common = { models: [model], ...(Object.keys(parameters).length > 0 && { parameters }) };
  switch (capability) {
    case 'chat':
      return [
        {
          language: 'GraphQL',
          code: `# over WebSocket (graphql-transport-ws) at ${origin.replace(/^http/, 'ws')}/graphql
# connection_init: { "authorization": "Bearer ${key.shell}" }
subscription Completion($input: CompletionInput!) {
  completion(input: $input) {
    ... on CompletionDelta { text }
    ... on CompletionFinished { usage { outputTokens } cost { amount } }
    ... on CompletionFailed { code message }
  }
}

# variables
${JSON.stringify({ input: { clientRequestId: 'my-first-request', model, messages, parameters } }, null, 2)}`,
        },
      ];
    case 'images':
      return [post(start, { input: { kind: 'IMAGE', prompt, ...common } })];
    case 'speech':
      return [post(start, { input: { kind: 'SPEECH', prompt: input, ...common } })];
    case 'embeddings':
      return Array.isArray(input) && input.length === 2
        ? [post(start, { input: { kind: 'EMBEDDINGS', texts: input, ...common } })]
        : [];
    default:
      return [];
  }
}

/** A Python literal. */
function literal(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${literal(each)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

/** Quotes the text for the shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
