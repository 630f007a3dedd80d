import type { RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { shownPath } from './errors.ts';

/** Endpoints of a client's protocol that are not served here. */
export interface UnservedEndpoints {
  /** Matches the path without its version. */
  readonly path: RegExp;
  /** What they are, as the object of a sentence. */
  readonly what: string;
  /** What to do instead, in a sentence. */
  readonly next: string;
}

/** Answers 404 with what to do instead. Mounted after authentication. */
export function refuseUnserved(endpoints: readonly UnservedEndpoints[]): RequestHandler {
  return (request, _response, next) => {
    const found = endpoints.find(({ path }) => path.test(request.path));
    if (found === undefined) return next();
    const { what, next: advice } = found;
    throw new SluiceError('endpoint_not_served', {
      values: { method: request.method, path: shownPath(request), what, next: advice },
    });
  };
}

/** Endpoints whose paths are these or below them. */
function below(...names: readonly string[]): RegExp {
  return new RegExp(`^/(?:${names.join('|')})(?:/|$)`);
}

/** Of OpenAI's API, under `/v1`. Source: platform.openai.com/docs/api-reference. */
export const unservedOfOpenAi: readonly UnservedEndpoints[] = [
  {
    path: below('assistants', 'threads'),
    what: 'OpenAI’s Assistants',
    next: 'Use POST /v1/responses with a `conversation` instead.',
  },
  {
    path: below('vector_stores'),
    what: 'vector stores',
    next: 'Send the text or the file within the request, or create vectors with POST /v1/embeddings and search them yourself.',
  },
  {
    path: below('fine_tuning', 'fine-tunes'),
    what: 'fine-tuning',
    next: 'Train the model at its provider, then use it here as `provider/model`.',
  },
  {
    path: below('realtime'),
    what: 'OpenAI’s Realtime API',
    next: 'Use POST /v1/responses with `"stream": true`, /v1/audio/transcriptions and /v1/audio/speech instead.',
  },
  { path: below('evals', 'graders'), what: 'evals', next: 'Run them at OpenAI, or compare models on the dashboard.' },
  {
    path: below('containers', 'skills', 'chatkit'),
    what: 'OpenAI’s containers, skills and ChatKit',
    next: 'Send this request to OpenAI itself.',
  },
  {
    path: below('organization', 'projects'),
    what: 'OpenAI’s administration API',
    next: 'Keys, members and usage are managed on the dashboard and with GraphQL at /graphql.',
  },
  { path: below('engines'), what: 'engines', next: 'GET /v1/models lists the models.' },
  { path: below('edits'), what: 'edits, which OpenAI has retired', next: 'Use POST /v1/chat/completions instead.' },
];

/** Of Anthropic's API, under `/v1`. Source: platform.claude.com/docs/en/api. */
export const unservedOfAnthropic: readonly UnservedEndpoints[] = [
  {
    path: below('files'),
    what: 'Anthropic’s Files API',
    next: 'Send the document or image within the message: a content block whose `source` has the `type` `base64`, `text` or `url`.',
  },
  {
    path: below('skills'),
    what: 'Anthropic’s Skills API',
    next: 'Describe the skill in `system`, or send this request to Anthropic itself.',
  },
  {
    path: below('complete'),
    what: 'Anthropic’s Text Completions, which Anthropic has retired',
    next: 'Use POST /v1/messages instead.',
  },
  {
    path: below('organizations'),
    what: 'Anthropic’s Admin API',
    next: 'Keys, members and usage are managed on the dashboard and with GraphQL at /graphql.',
  },
  {
    path: below('agents', 'environments', 'sessions', 'vaults', 'memory_stores'),
    what: 'Anthropic’s managed agents',
    next: 'Run the agent on your side with POST /v1/messages, or send this request to Anthropic itself.',
  },
];

/** Of Google's Gemini API, under `/v1beta` and `/v1`. Source: ai.google.dev/api. */
export const unservedOfGoogle: readonly UnservedEndpoints[] = [
  {
    path: below('files(?::\\w+)?', 'upload'),
    what: 'Google’s Files API',
    next: 'Send the data within the request: a part with `inlineData` (`mimeType` and base64 `data`).',
  },
  {
    path: below('cachedContents'),
    what: 'Google’s cached contents',
    next: 'Send the contents within the request: providers cache prompts that begin alike by themselves.',
  },
  {
    path: below('tunedModels'),
    what: 'tuned models',
    next: 'Tune the model at Google, then use it here as `provider/model`.',
  },
  {
    path: below('corpora', 'fileSearchStores'),
    what: 'Google’s file search',
    next: 'Send the text within the request, or create vectors with `embedContent` and search them yourself.',
  },
  {
    path: /^\/batches(?:\/|$)|:(?:batchGenerateContent|asyncBatchEmbedContent)$/,
    what: 'Google’s batches',
    next: 'Use POST /v1/batches (OpenAI’s format) or POST /v1/messages/batches (Anthropic’s) instead, for any model.',
  },
  {
    path: below('interactions'),
    what: 'Google’s Interactions API',
    next: 'Use POST /v1/responses instead, which stores responses and continues them by `previous_response_id`.',
  },
  {
    path: below('openai'),
    what: 'Google’s path of its OpenAI-compatible API',
    next: 'Set the base URL to /v1 instead.',
  },
  {
    path: below('authTokens', 'auth_tokens'),
    what: 'tokens of Google’s Live API',
    next: 'Use `streamGenerateContent` instead; for browsers, create an access token on the dashboard.',
  },
  { path: /:predict$/, what: 'the method `predict`', next: 'Generate images with POST /v1/images/generations.' },
  {
    path: /:predictLongRunning$/,
    what: 'the method `predictLongRunning`',
    next: 'Generate videos with POST /v1/videos.',
  },
  {
    path: below('operations', 'generatedFiles', 'dynamic'),
    what: 'these resources of Google’s',
    next: 'Videos are created with POST /v1/videos.',
  },
];
