import type { SchemaName } from './schema-name.ts';

const prompt = 'A lighthouse at dusk';
const documents = ['Paris is the capital of France.', 'The Seine flows through Paris.'];

/** Requests that succeed unchanged on a server with the sandbox provider. */
const examples: Readonly<Partial<Record<SchemaName, object>>> = {
  ChatCompletionRequest: { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello!' }] },
  CompletionRequest: { model: 'sandbox/chat', prompt: 'Hello!' },
  CreateResponseRequest: { model: 'sandbox/chat', input: 'Hello!' },
  CompactResponseRequest: { model: 'sandbox/chat', input: 'Hello!' },
  ResponseTokensRequest: { model: 'sandbox/chat', input: 'Hello!' },
  FeedbackRequest: { session_id: 'run-42', name: 'helpful', value: true, comment: 'It solved the task.' },
  ConversationRequest: { items: [{ type: 'message', role: 'user', content: 'Hello!' }] },
  MessageRequest: { model: 'sandbox/chat', max_tokens: 100, messages: [{ role: 'user', content: 'Hello!' }] },
  MessageTokensRequest: { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello!' }] },
  GenerateContentRequest: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
  CountTokensRequest: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
  EmbedContentRequest: { content: { parts: [{ text: 'Hello!' }] } },
  BatchEmbedContentsRequest: { requests: [{ content: { parts: [{ text: 'Hello!' }] } }] },
  EmbeddingRequest: { model: 'sandbox/embedding', input: 'Hello!' },
  RerankRequest: { model: 'sandbox/rerank', query: 'What is the capital of France?', documents },
  ModerationRequest: { model: 'sandbox/moderation', input: 'Hello!' },
  SpeechRequest: { model: 'sandbox/speech', input: 'Hello!', voice: 'alloy', response_format: 'wav' },
  ImageGenerationRequest: { model: 'sandbox/image', prompt },
  UploadRequest: { filename: 'lines.jsonl', purpose: 'user_data', bytes: 12, mime_type: 'application/jsonl' },
  VideoRequest: { model: 'sandbox/video', prompt },
};

/** A JSON request body, with its example if there is one. */
export function jsonBody(name: SchemaName): Readonly<Record<'application/json', object>> {
  const example = examples[name];
  const schema = { $ref: `#/components/schemas/${name}` };
  return { 'application/json': example === undefined ? { schema } : { schema, example } };
}
