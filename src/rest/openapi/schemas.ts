import { z } from 'zod';
import { chatRequestSchema } from '../../gateway/capabilities/chat/members.ts';
import { embeddingsRequestSchema } from '../../gateway/capabilities/embeddings/schema.ts';
import { editSchema, generationSchema } from '../../gateway/capabilities/images/schema.ts';
import { rerankRequestSchema } from '../../gateway/capabilities/rerank/schema.ts';
import { batchListSchema, batchRequestSchema, batchSchema } from './operations/batches.ts';
import {
  messageBatchDeletedSchema,
  messageBatchListSchema,
  messageBatchRequestSchema,
  messageBatchSchema,
} from './operations/message-batches.ts';
import { moderationRequestSchema } from '../../gateway/capabilities/moderation/schema.ts';
import { transcriptionSchema, translationSchema } from '../../gateway/capabilities/transcription/schema.ts';
import { speechRequestSchema } from '../../gateway/capabilities/speech/schema.ts';
import { videoRemixSchema, videoRequestSchema } from '../../gateway/capabilities/video/schema.ts';
import {
  cohereErrorSchema,
  errorSchema,
  healthSchema,
  modelListSchema,
  modelSchema,
  readinessSchema,
} from './answers.ts';
import { completionChunkSchema, completionRequestSchema, completionSchema } from './operations/chat/completions.ts';
import { chatAnswerSchema, chatChunkSchema } from './chat-answers.ts';
import { geminiSchemas } from './operations/gemini/schemas.ts';
import {
  imageEditFormSchema,
  imageEventSchema,
  imagesAnswerSchema,
  imageVariationFormSchema,
} from './operations/images.ts';
import {
  anthropicErrorSchema,
  messageEventSchema,
  messageRequestSchema,
  messageSchema,
  messageTokensRequestSchema,
  messageTokensSchema,
} from './operations/messages.ts';
import { moderationAnswerSchema } from './operations/moderations.ts';
import {
  conversationDeletedSchema,
  conversationItemsRequestSchema,
  conversationRequestSchema,
  conversationSchema,
  conversationUpdateSchema,
} from './operations/conversations.ts';
import { feedbackRequestSchema, feedbackSchema } from './operations/feedback.ts';
import {
  uploadCompletionSchema,
  uploadPartFormSchema,
  uploadPartSchema,
  uploadRequestSchema,
  uploadSchema,
} from './operations/uploads.ts';
import { fileDeletedSchema, fileFormSchema, fileListSchema, fileSchema } from './operations/files.ts';
import { portablePattern } from './portable-pattern.ts';
import { embeddingsAnswerSchema, rerankAnswerSchema } from './retrieval-answers.ts';
import {
  compactedSchema,
  compactRequestSchema,
  createResponseSchema,
  responseDeletedSchema,
  responseEventSchema,
  responseItemsSchema,
  responseSchema,
  responseTokensRequestSchema,
  responseTokensSchema,
} from './operations/responses.ts';
import {
  completionDeletedSchema,
  completionListSchema,
  completionMessagesSchema,
  completionUpdateSchema,
  storedCompletionSchema,
} from './operations/chat/chat-completions.ts';
import type { SchemaName } from './schema-name.ts';
import { speechEventSchema } from './operations/speech.ts';
import { transcriptionAnswerSchema, transcriptionEventSchema } from './operations/transcription.ts';
import { videoDeletedSchema, videoFormSchema, videoListSchema, videoSchema } from './operations/videos.ts';

const named = {
  ChatCompletionRequest: chatRequestSchema,
  ChatCompletion: chatAnswerSchema,
  ChatCompletionChunk: chatChunkSchema,
  StoredChatCompletion: storedCompletionSchema,
  ChatCompletionList: completionListSchema,
  ChatCompletionUpdate: completionUpdateSchema,
  ChatCompletionDeleted: completionDeletedSchema,
  ChatCompletionMessageList: completionMessagesSchema,
  CompletionRequest: completionRequestSchema,
  Completion: completionSchema,
  CompletionChunk: completionChunkSchema,
  CreateResponseRequest: createResponseSchema,
  Response: responseSchema,
  ResponseEvent: responseEventSchema,
  ResponseItemList: responseItemsSchema,
  ResponseDeleted: responseDeletedSchema,
  CompactResponseRequest: compactRequestSchema,
  CompactedResponse: compactedSchema,
  ResponseTokensRequest: responseTokensRequestSchema,
  ResponseTokens: responseTokensSchema,
  FeedbackRequest: feedbackRequestSchema,
  Feedback: feedbackSchema,
  ConversationRequest: conversationRequestSchema,
  ConversationUpdate: conversationUpdateSchema,
  ConversationItemsRequest: conversationItemsRequestSchema,
  Conversation: conversationSchema,
  ConversationDeleted: conversationDeletedSchema,
  MessageRequest: messageRequestSchema,
  Message: messageSchema,
  MessageEvent: messageEventSchema,
  MessageTokensRequest: messageTokensRequestSchema,
  MessageTokens: messageTokensSchema,
  BatchRequest: batchRequestSchema,
  Batch: batchSchema,
  BatchList: batchListSchema,
  MessageBatchRequest: messageBatchRequestSchema,
  MessageBatch: messageBatchSchema,
  MessageBatchList: messageBatchListSchema,
  MessageBatchDeleted: messageBatchDeletedSchema,
  ...geminiSchemas,
  EmbeddingRequest: embeddingsRequestSchema,
  EmbeddingList: embeddingsAnswerSchema,
  RerankRequest: rerankRequestSchema,
  RerankResult: rerankAnswerSchema,
  ModerationRequest: moderationRequestSchema,
  ModerationList: moderationAnswerSchema,
  SpeechRequest: speechRequestSchema,
  SpeechEvent: speechEventSchema,
  TranscriptionRequest: transcriptionSchema,
  TranslationRequest: translationSchema,
  Transcription: transcriptionAnswerSchema,
  TranscriptionEvent: transcriptionEventSchema,
  ImageGenerationRequest: generationSchema,
  ImageEditJsonRequest: editSchema,
  ImageEditForm: imageEditFormSchema,
  ImageVariationForm: imageVariationFormSchema,
  ImagesResponse: imagesAnswerSchema,
  ImageEvent: imageEventSchema,
  VideoRequest: videoRequestSchema,
  VideoForm: videoFormSchema,
  VideoRemixRequest: videoRemixSchema,
  Video: videoSchema,
  VideoList: videoListSchema,
  VideoDeleted: videoDeletedSchema,
  FileForm: fileFormSchema,
  File: fileSchema,
  FileList: fileListSchema,
  FileDeleted: fileDeletedSchema,
  UploadRequest: uploadRequestSchema,
  UploadPartForm: uploadPartFormSchema,
  UploadCompletion: uploadCompletionSchema,
  Upload: uploadSchema,
  UploadPart: uploadPartSchema,
  Model: modelSchema,
  ModelList: modelListSchema,
  Error: errorSchema,
  CohereError: cohereErrorSchema,
  AnthropicError: anthropicErrorSchema,
  Health: healthSchema,
  Readiness: readinessSchema,
} as const satisfies Readonly<Record<SchemaName, z.ZodType>>;

/**
 * The document's schemas by name. Nested named schemas (`ChatMessage`, `FunctionTool`) are moved to the same level, because
 * references in an OpenAPI document are resolved from the root of the document.
 */
export function buildSchemas(): Readonly<Record<string, unknown>> {
  const schemas: Record<string, unknown> = {};
  const inner: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(named)) {
    const io = name.endsWith('Request') ? 'input' : 'output';
    const { $schema: _dialect, $defs, ...json } = z.toJSONSchema(schema, { io });
    const definitions = { ...$defs };
    schemas[name] = forDocument(definitions[name] ?? json);
    delete definitions[name];
    for (const [id, definition] of Object.entries(definitions)) inner[id] = forDocument(definition);
  }
  return { ...schemas, ...inner };
}

function forDocument(schema: z.core.JSONSchema.BaseSchema): unknown {
  return JSON.parse(JSON.stringify(schema, pointToComponents));
}

/** Drops Zod's `id`, which is already the schema's name. */
function pointToComponents(member: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (member === 'pattern') return portablePattern(value);
  if (member === '$ref') return value.replace(/^#\/\$defs\//, '#/components/schemas/');
  return member === 'id' ? undefined : value;
}
