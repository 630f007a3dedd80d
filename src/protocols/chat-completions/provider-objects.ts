import type { NamedObject } from '../canonical/protocol.ts';
import { objectsNamedIn, type ObjectRules } from '../canonical/request/named-objects.ts';

/** How requests of the protocol name objects at its provider. */
export const objectRules: ObjectRules = {
  naming: new Set([
    'batch_id',
    'collection_id',
    'collection_ids',
    'container',
    'container_id',
    'conversation',
    'conversation_id',
    'file_id',
    'file_ids',
    'previous_response_id',
    'prompt_id',
    'skill_id',
    'skill_ids',
    'vector_store_id',
    'vector_store_ids',
  ]),
  // An earlier audio response, and a custom voice.
  namingObjects: new Set(['audio', 'prompt', 'voice']),
  form: /^(?:(?:resp|conv|file|upload|vs|vsfb|cntr|cfile|pmpt|skver|batch|ftjob|asst|assistant|thread|evalrun|video|collection|audio|voice)[-_][\w-]{6,}|(?:container|skill|msgbatch)_(?=[A-Za-z]*\d)[A-Za-z0-9]{6,})$/,
  freeTexts: new Set([
    'type',
    'role',
    'text',
    'content',
    'refusal',
    'reasoning',
    'reasoning_content',
    'thinking',
    'signature',
    'name',
    'arguments',
    'input',
    'description',
    'definition',
    'data',
    'file_data',
    'filename',
    'url',
    'title',
    'query',
    'model',
    'models',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'tool_call_id',
    'stop',
    'prompt',
    'suffix',
    'documents',
    'guided_choice',
  ]),
  free: new Set([
    'metadata',
    // Of Codex, in requests for a response that are converted.
    'client_metadata',
    'parameters',
    'schema',
    'input_schema',
    'arguments',
    'stop',
    'guided_choice',
    'guided_json',
    'chat_template_kwargs',
  ]),
};

/**
 * The objects at the provider that a chat names: files, earlier audio, custom voices, and what servers of this API have besides.
 * Sources: OpenAI's API document; docs.mistral.ai/api, FileChunk.
 */
export function namedObjects(body: unknown): NamedObject[] {
  return objectsNamedIn(body, objectRules);
}
