import { z } from 'zod';
import { chatAnswerSchema } from '../../chat-answers.ts';
import { jsonBody } from '../../examples.ts';
import { failing, failure, failures, refused } from '../../failures.ts';
import { answer, events, limited, pageParameters, ref, refs, routed, type Operation } from '../../parts.ts';

const metadata = z.record(z.string(), z.string()).describe('Up to 16 key-value pairs.');
const pageMembers = { first_id: z.string(), last_id: z.string(), has_more: z.boolean() };

/** Source: OpenAI's API document, CreateChatCompletionResponse. */
export const storedCompletionSchema = chatAnswerSchema.extend({ metadata }).meta({ id: 'StoredChatCompletion' });

export const completionListSchema = z
  .object({ object: z.literal('list'), data: z.array(storedCompletionSchema), ...pageMembers })
  .meta({ id: 'ChatCompletionList' });

export const completionUpdateSchema = z
  .looseObject({ metadata: metadata.nullable() })
  .meta({ id: 'ChatCompletionUpdate' });

export const completionDeletedSchema = z
  .object({ object: z.literal('chat.completion.deleted'), id: z.string(), deleted: z.boolean() })
  .meta({ id: 'ChatCompletionDeleted' });

/** Source: OpenAI's API document, ChatCompletionMessageList. */
export const completionMessagesSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        id: z.string(),
        role: z.string(),
        content: z.string().nullable().describe('Null if the content is an array.'),
        content_parts: z.array(z.looseObject({})).nullable().describe('The content if it is an array.'),
      }),
    ),
    ...pageMembers,
  })
  .meta({ id: 'ChatCompletionMessageList' });

const tags = ['Chat'];
const id = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The `id` of the completion.',
};
const missing = failure('404', 'The account has stored no completion with this ID, or none for this key.');

const createChatCompletion: Operation = {
  operationId: 'createChatCompletion',
  summary: 'Create a chat completion',
  description:
    'Generates the next message of a conversation. Returns one JSON object, or with `stream: true` server-sent events that end with `data: [DONE]`.',
  tags,
  requestBody: { required: true, content: jsonBody('ChatCompletionRequest') },
  responses: {
    '200': {
      description: 'The chat completion.',
      headers: { ...routed, ...refs(['x-sluice-moderation']) },
      content: {
        'application/json': { schema: ref('ChatCompletion') },
        ...events('ChatCompletionChunk'),
      },
    },
    ...failures,
  },
};

/** Without NUL characters, which no database stores. */
const storableText = { type: 'string', pattern: String.raw`^[^\x00]*$` };

const listChatCompletions: Operation = {
  operationId: 'listChatCompletions',
  summary: 'List stored chat completions',
  description: 'Lists completions that were created with `store: true`, oldest first.',
  tags,
  parameters: [
    ...pageParameters('completion', undefined, 'asc'),
    {
      name: 'model',
      in: 'query',
      schema: storableText,
      description: 'Only of this model, as requested or as `model` of the completion.',
    },
    {
      name: 'metadata',
      in: 'query',
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', additionalProperties: storableText, propertyNames: storableText },
      description: 'Only with all of these members: `metadata[topic]=boats`.',
    },
  ],
  responses: { '200': answer('A page of completions.', 'ChatCompletionList', limited), ...refused, '404': missing },
};

const retrieveChatCompletion: Operation = {
  operationId: 'retrieveChatCompletion',
  summary: 'Retrieve a stored chat completion',
  tags,
  parameters: [id],
  responses: { '200': answer('The completion.', 'StoredChatCompletion', limited), ...refused, '404': missing },
};

const updateChatCompletion: Operation = {
  operationId: 'updateChatCompletion',
  summary: 'Update the metadata of a stored chat completion',
  tags,
  parameters: [id],
  requestBody: { required: true, content: jsonBody('ChatCompletionUpdate') },
  responses: {
    '200': answer('The completion.', 'StoredChatCompletion', limited),
    ...refused,
    ...failing('413', '415'),
    '404': missing,
  },
};

const deleteChatCompletion: Operation = {
  operationId: 'deleteChatCompletion',
  summary: 'Delete a stored chat completion',
  tags,
  parameters: [id],
  responses: { '200': answer('It is deleted.', 'ChatCompletionDeleted', limited), ...refused, '404': missing },
};

const listChatCompletionMessages: Operation = {
  operationId: 'listChatCompletionMessages',
  summary: 'List the messages of a stored chat completion',
  description: 'Lists the messages of its request, in their order.',
  tags,
  parameters: [id, ...pageParameters('message', undefined, 'asc')],
  responses: {
    '200': answer('A page of messages.', 'ChatCompletionMessageList', limited),
    ...refused,
    '404': missing,
  },
};

export const chatCompletionPaths = {
  '/v1/chat/completions': { get: listChatCompletions, post: createChatCompletion },
  '/v1/chat/completions/{id}': {
    get: retrieveChatCompletion,
    post: updateChatCompletion,
    delete: deleteChatCompletion,
  },
  '/v1/chat/completions/{id}/messages': { get: listChatCompletionMessages },
} as const;
