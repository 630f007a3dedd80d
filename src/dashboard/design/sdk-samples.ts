import type { Sample } from './sample.ts';
import type { KeyCode } from './key-code.ts';

interface TextMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What each SDK can say: texts, and the parameters that every API has. */
interface TextRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly TextMessage[];
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
}

/** Anthropic requires a limit. */
const DEFAULT_MAX_TOKENS = 1_024;
const roles = ['system', 'user', 'assistant'] as const;

/**
 * A request in the SDKs of other APIs than Chat Completions; none for one that needs more than texts.
 * @param body of a chat completion
 */
export function sdkSamples(body: Readonly<Record<string, unknown>>, origin: string, key: KeyCode): Sample[] {
  const request = textRequestOf(body);
  if (request === null) return [];
  return [...responses(request, origin, key), ...anthropic(request, origin, key), ...google(request, origin, key)];
}

function textRequestOf(body: Readonly<Record<string, unknown>>): TextRequest | null {
  const { model, messages, max_completion_tokens: maxTokens, temperature, top_p: topP, ...rest } = body;
  if (typeof model !== 'string' || !Array.isArray(messages) || Object.keys(rest).length > 0) return null;
  const texts = messages.map(textMessageOf);
  const known = texts.filter((each) => each !== null);
  if (known.length < texts.length) return null;
  return {
    model,
    system: known.find(({ role }) => role === 'system')?.content ?? '',
    messages: known.filter(({ role }) => role !== 'system'),
    maxTokens: numberOf(maxTokens),
    temperature: numberOf(temperature),
    topP: numberOf(topP),
  };
}

function textMessageOf(message: unknown): TextMessage | null {
  if (typeof message !== 'object' || message === null) return null;
  const { role: named, content, ...rest }: { role?: unknown; content?: unknown } = message;
  const role = roles.find((each) => each === named);
  return role !== undefined && typeof content === 'string' && Object.keys(rest).length === 0 ? { role, content } : null;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function responses(request: TextRequest, origin: string, key: KeyCode): Sample[] {
  const { model, system, messages, maxTokens, temperature, topP } = request;
  const sampling = { max_output_tokens: maxTokens, temperature, top_p: topP };
  const given = { model, instructions: system || undefined, input: messages, ...sampling };
  const sdk = 'OpenAI SDK, Responses';
  return [
    {
      sdk,
      language: 'TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${key.typescript} });

const response = await client.responses.create(${json(given)});
console.log(response.output_text);`,
    },
    {
      sdk,
      language: 'Python',
      code: `${key.pythonImport}from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${key.python})

response = client.responses.create(
${keywords(given)}
)
print(response.output_text)`,
    },
  ];
}

function anthropic(request: TextRequest, origin: string, key: KeyCode): Sample[] {
  const { model, system, messages, maxTokens = DEFAULT_MAX_TOKENS, temperature, topP } = request;
  const given = { model, max_tokens: maxTokens, system: system || undefined, messages };
  // Models take them, but the SDKs' types leave them out since 1.0 (TypeScript) and 2.0 (Python).
  const sampling = { temperature, top_p: topP };
  const sdk = 'Anthropic SDK';
  return [
    {
      sdk,
      language: 'TypeScript',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', apiKey: ${key.typescript} });

const message = await client.messages.create(${json(given, sampling)});
for (const block of message.content) if (block.type === 'text') console.log(block.text);`,
    },
    {
      sdk,
      language: 'Python',
      code: `${key.pythonImport}from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=${key.python})

message = client.messages.create(
${keywords({ ...given, extra_body: hasMembers(sampling) ? sampling : undefined })}
)
for block in message.content:
    if block.type == "text":
        print(block.text)`,
    },
  ];
}

function google(request: TextRequest, origin: string, key: KeyCode): Sample[] {
  const { model, system, messages, maxTokens, temperature, topP } = request;
  const contents = messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: [{ text: content }],
  }));
  const config = { systemInstruction: system || undefined, maxOutputTokens: maxTokens, temperature, topP };
  const given = { model, contents, config: hasMembers(config) ? config : undefined };
  const sdk = 'Google GenAI SDK';
  return [
    {
      sdk,
      language: 'TypeScript',
      code: `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: ${key.typescript}, httpOptions: { baseUrl: '${origin}' } });

const response = await client.models.generateContent(${json(given)});
console.log(response.text);`,
    },
    {
      sdk,
      language: 'Python',
      code: `${key.pythonImport}from google import genai

client = genai.Client(api_key=${key.python}, http_options={"base_url": "${origin}"})

response = client.models.generate_content(
${keywords(given)}
)
print(response.text)`,
    },
  ];
}

function hasMembers(value: object): boolean {
  return Object.values(value).some((member) => member !== undefined);
}

/** Members that are undefined are left out. @param untyped members that the types of the SDK do not have */
function json(value: object, untyped: object = {}): string {
  const text = JSON.stringify(value, null, 2);
  return hasMembers(untyped) ? `${text.slice(0, -2)},\n  ...${JSON.stringify(untyped)}\n}` : text;
}

/** Arguments of Python. Texts, numbers, lists and objects are the same in JSON. */
function keywords(given: Readonly<Record<string, unknown>>): string {
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `    ${name}=${JSON.stringify(value)},`)
    .join('\n');
}
