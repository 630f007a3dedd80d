import { z } from 'zod';
import { anthropicError } from '../anthropic-schema.ts';
import { geminiError } from '../gemini-schema.ts';
import type { TemplatePart } from './forms.ts';
import {
  chatTemplate,
  compactionTemplate,
  completionOfUploadTemplate,
  completionsTemplate,
  conversationTemplate,
  embeddingsTemplate,
  embeddingTemplate,
  fileBatchTemplate,
  geminiTemplate,
  itemsTemplate,
  messageBatchTemplate,
  messagesTemplate,
  responsesTemplate,
  shortResponsesTemplate,
  tokensTemplate,
  uploadTemplate,
  type Template,
} from './templates.ts';

/** A route with what its bodies are made of. */
export interface MalformedRoute {
  /** Several are used in turn. */
  readonly paths: readonly string[];
  /** JSON bodies. */
  readonly templates?: readonly Template[];
  /** The body of a form. */
  readonly form?: readonly TemplatePart[];
  readonly envelope: Envelope;
}

/** What exists before a request names it. */
export interface StoredObjects {
  /** A chat completion. */
  readonly completion: string;
  readonly conversation: string;
  /** Input of a batch. */
  readonly file: string;
  /** One that is pending, and stays so. */
  readonly upload: string;
  /** One to complete. */
  readonly otherUpload: string;
}

/** The error format of a protocol. */
export interface Envelope {
  readonly schema: z.ZodType;
  /** Whether the error names the member of the request. */
  names(error: unknown): boolean;
}

const openAiError = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string().min(1),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

/** A member in quotes or before a colon, as all messages name it. */
const named = /'[^']+'|`[^`]+`|^[\w.[\]]+: /;
const openAi: Envelope = { schema: openAiError, names: (error) => openAiError.parse(error).error.param !== null };
const anthropic: Envelope = {
  schema: anthropicError,
  names: (error) => named.test(anthropicError.parse(error).error.message),
};
const google: Envelope = { schema: geminiError, names: (error) => named.test(geminiError.parse(error).error.message) };

/** One of each provider protocol, which converts or relays each client protocol, and the sandbox. */
const models = [
  'sandbox/chat',
  'chatting/some-model',
  'relaying/some-model',
  'anthropic/claude-opus-4-5',
  'gemini/gemini-3-pro-preview',
];
const embeddingModels = [
  'sandbox/embedding',
  'chatting/some-model',
  'gemini/gemini-embedding-001',
  'google-vertex/gemini-embedding-001',
  'google-vertex/gemini-embedding-2',
];
/** Hosts that have a client's protocol in an envelope of their own. */
const bedrockModel = 'amazon-bedrock/anthropic.claude-opus-4-5';
const vertexModel = 'google-vertex/gemini-3-pro-preview';
const enveloped: readonly Template[] = [
  { ...messagesTemplate, model: bedrockModel },
  { ...messagesTemplate, model: bedrockModel, stream: true },
];

/** Templates for each model, streamed and not. */
const ofModels = (...templates: readonly Template[]): Template[] =>
  templates.flatMap((template) =>
    models.flatMap((model) => [
      { ...template, model },
      { ...template, model, stream: true },
    ]),
  );
const googlePaths = (names: readonly string[], method: string): string[] =>
  names.map((name) => `/v1beta/models/${name}:${method}`);
const deployments = models.map(
  (model) => `/openai/deployments/${encodeURIComponent(model)}/chat/completions?api-version=2024-10-21`,
);

const generatingRoutes: Readonly<Record<string, MalformedRoute>> = {
  messages: {
    paths: ['/v1/messages'],
    templates: [...ofModels(messagesTemplate), ...enveloped],
    envelope: anthropic,
  },
  'count_tokens of messages': {
    paths: ['/v1/messages/count_tokens'],
    templates: [...ofModels(messagesTemplate), ...enveloped],
    envelope: anthropic,
  },
  completions: {
    paths: ['/v1/completions'],
    // The last relays the protocol.
    templates: [...ofModels(completionsTemplate), { ...completionsTemplate, model: 'ollama/some-model' }],
    envelope: openAi,
  },
  'input_tokens of responses': {
    paths: ['/v1/responses/input_tokens'],
    templates: models.map((model) => ({ ...tokensTemplate, model })),
    envelope: openAi,
  },
  ...Object.fromEntries(
    ['generateContent', 'streamGenerateContent', 'streamGenerateContent?alt=sse', 'countTokens'].map((method) => [
      method,
      { paths: googlePaths([...models, vertexModel], method), templates: [geminiTemplate], envelope: google },
    ]),
  ),
  embedContent: {
    paths: googlePaths(embeddingModels, 'embedContent'),
    templates: [embeddingTemplate],
    envelope: google,
  },
  batchEmbedContents: {
    paths: googlePaths(embeddingModels, 'batchEmbedContents'),
    templates: [embeddingsTemplate],
    envelope: google,
  },
  'chat completions of a deployment of Azure': {
    paths: deployments,
    templates: ofModels(chatTemplate),
    envelope: openAi,
  },
};

/** Each route that takes a body in one of the newer protocols, by a name. */
export function malformedRoutes({
  completion,
  conversation,
  file,
  upload,
  otherUpload,
}: StoredObjects): Readonly<Record<string, MalformedRoute>> {
  const responses = ofModels(responsesTemplate, shortResponsesTemplate);
  const inConversation = { ...shortResponsesTemplate, store: true, conversation };
  const batch = { ...fileBatchTemplate, input_file_id: file };
  return {
    ...generatingRoutes,
    responses: { paths: ['/v1/responses'], templates: [...responses, inConversation], envelope: openAi },
    'compact of responses': {
      paths: ['/v1/responses/compact'],
      templates: models.map((model) => ({ ...compactionTemplate, model })),
      envelope: openAi,
    },
    'stored chat completions': {
      paths: ['/v1/chat/completions'],
      templates: ofModels({ ...chatTemplate, store: true }),
      envelope: openAi,
    },
    'update of a stored chat completion': {
      paths: [`/v1/chat/completions/${completion}`],
      templates: [{ metadata: { topic: 'demo' } }],
      envelope: openAi,
    },
    feedback: {
      paths: ['/v1/feedback'],
      templates: [
        { request_id: 'req_0198f1c0a1b27c3d8e4f5a6b7c8d9e0f', name: 'helpful', value: true, comment: 'Good.' },
        { session_id: 'run-42', value: 4.5 },
        { session_id: 'run-42', value: 'off_topic' },
      ],
      envelope: openAi,
    },
    conversations: { paths: ['/v1/conversations'], templates: [conversationTemplate], envelope: openAi },
    'update of a conversation': {
      paths: [`/v1/conversations/${conversation}`],
      templates: [{ metadata: { topic: 'demo' } }],
      envelope: openAi,
    },
    'items of a conversation': {
      paths: [`/v1/conversations/${conversation}/items`],
      templates: [itemsTemplate],
      envelope: openAi,
    },
    'batches of messages': {
      paths: ['/v1/messages/batches'],
      templates: [messageBatchTemplate],
      envelope: anthropic,
    },
    batches: { paths: ['/v1/batches'], templates: [batch], envelope: openAi },
    files: {
      paths: ['/v1/files'],
      form: [
        { name: 'purpose', content: 'user_data' },
        { name: 'expires_after[anchor]', content: 'created_at' },
        { name: 'expires_after[seconds]', content: '3600' },
        { name: 'file', filename: 'a.txt', content: 'A text.' },
      ],
      envelope: openAi,
    },
    uploads: { paths: ['/v1/uploads'], templates: [uploadTemplate], envelope: openAi },
    'parts of an upload': {
      paths: [`/v1/uploads/${upload}/parts`],
      form: [{ name: 'data', filename: 'blob', content: 'abc' }],
      envelope: openAi,
    },
    'complete of an upload': {
      paths: [`/v1/uploads/${otherUpload}/complete`],
      templates: [completionOfUploadTemplate],
      envelope: openAi,
    },
    'responses of Azure': {
      paths: ['/openai/responses?api-version=preview', '/openai/v1/responses'],
      templates: responses,
      envelope: openAi,
    },
    'files of Azure': {
      paths: ['/openai/files?api-version=2024-10-21'],
      form: [
        { name: 'purpose', content: 'batch' },
        { name: 'file', filename: 'a.jsonl', content: '{}' },
      ],
      envelope: openAi,
    },
    'batches of Azure': {
      paths: ['/openai/batches?api-version=2024-10-21'],
      templates: [{ ...batch, endpoint: '/chat/completions' }],
      envelope: openAi,
    },
  };
}

export const malformedRouteNames = Object.keys(
  malformedRoutes({ completion: '', conversation: '', file: '', upload: '', otherUpload: '' }),
);
