import { z } from 'zod';
import { jsonBody } from '../examples.ts';
import { failing, failure, refused } from '../failures.ts';
import { answer, limited, pageParameters, type Operation } from '../parts.ts';

const metadata = z.record(z.string(), z.string()).describe('Up to 16 key-value pairs.');

/** Source: OpenAI's API document, CreateConversationBody. */
export const conversationRequestSchema = z
  .looseObject({
    metadata: metadata.nullish(),
    items: z.array(z.looseObject({})).max(20).nullish().describe('The first items, as in `input` of a response.'),
  })
  .meta({ id: 'ConversationRequest' });

export const conversationUpdateSchema = z.looseObject({ metadata }).meta({ id: 'ConversationUpdate' });

export const conversationItemsRequestSchema = z
  .looseObject({ items: z.array(z.looseObject({})).max(20) })
  .meta({ id: 'ConversationItemsRequest' });

/** Source: OpenAI's API document, ConversationResource. */
export const conversationSchema = z
  .object({ id: z.string(), object: z.literal('conversation'), created_at: z.int(), metadata })
  .meta({ id: 'Conversation' });

export const conversationDeletedSchema = z
  .object({ id: z.string(), object: z.literal('conversation.deleted'), deleted: z.boolean() })
  .meta({ id: 'ConversationDeleted' });

const tags = ['Conversations'];
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: '`conv_…`.' };
const item = { name: 'item', in: 'path', required: true, schema: { type: 'string' }, description: 'ID of the item.' };
const missing = failure('404', 'The account has no conversation with this ID, or it has no such item.');
/** Of requests with a body. */
const written = { ...refused, ...failing('413', '415') };

export const createConversation: Operation = {
  operationId: 'createConversation',
  summary: 'Create a conversation',
  description: 'Keeps items, which responses with `conversation` continue and add theirs to. Works with every model.',
  tags,
  requestBody: { required: true, content: jsonBody('ConversationRequest') },
  responses: { '200': answer('The conversation.', 'Conversation', limited), ...written },
};

export const retrieveConversation: Operation = {
  operationId: 'retrieveConversation',
  summary: 'Retrieve a conversation',
  tags,
  parameters: [id],
  responses: { '200': answer('The conversation.', 'Conversation', limited), ...refused, '404': missing },
};

export const updateConversation: Operation = {
  operationId: 'updateConversation',
  summary: 'Update the metadata of a conversation',
  tags,
  parameters: [id],
  requestBody: { required: true, content: jsonBody('ConversationUpdate') },
  responses: { '200': answer('The conversation.', 'Conversation', limited), ...written, '404': missing },
};

export const deleteConversation: Operation = {
  operationId: 'deleteConversation',
  summary: 'Delete a conversation',
  description: 'Deletes a conversation with its items.',
  tags,
  parameters: [id],
  responses: { '200': answer('It is deleted.', 'ConversationDeleted', limited), ...refused, '404': missing },
};

export const listConversationItems: Operation = {
  operationId: 'listConversationItems',
  summary: 'List the items of a conversation',
  tags,
  parameters: [id, ...pageParameters('item')],
  responses: { '200': answer('A page of items.', 'ResponseItemList', limited), ...refused, '404': missing },
};

export const createConversationItems: Operation = {
  operationId: 'createConversationItems',
  summary: 'Add items to a conversation',
  tags,
  parameters: [id],
  requestBody: { required: true, content: jsonBody('ConversationItemsRequest') },
  responses: { '200': answer('The added items.', 'ResponseItemList', limited), ...written, '404': missing },
};

export const retrieveConversationItem: Operation = {
  operationId: 'retrieveConversationItem',
  summary: 'Retrieve an item of a conversation',
  tags,
  parameters: [id, item],
  responses: {
    '200': {
      description: 'The item.',
      headers: limited,
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
    ...refused,
    '404': missing,
  },
};

export const deleteConversationItem: Operation = {
  operationId: 'deleteConversationItem',
  summary: 'Delete an item of a conversation',
  tags,
  parameters: [id, item],
  responses: { '200': answer('Its conversation.', 'Conversation', limited), ...refused, '404': missing },
};
