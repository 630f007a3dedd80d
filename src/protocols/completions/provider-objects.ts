import type { NamedObject } from '../canonical/protocol.ts';
import { objectsNamedIn, type ObjectRules } from '../canonical/request/named-objects.ts';

/**
 * How a completion could name objects at its provider. The protocol itself names none; servers of this API add members, and what
 * such a member names is checked by its name, or by the form of OpenAI's ids. Sources: OpenAI's API document,
 * CreateCompletionRequest; docs.vllm.ai, "OpenAI-Compatible Server"; docs.fireworks.ai/api-reference/post-completions.
 */
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
    'upload_id',
    'vector_store_id',
    'vector_store_ids',
  ]),
  namingObjects: new Set(['audio', 'file', 'image']),
  form: /^(?:resp|conv|file|upload|vs|vsfb|cntr|cfile|pmpt|skill|skver|batch|ftjob|asst|assistant|thread|chatcmpl|evalrun|video|collection|audio)[-_][\w-]{6,}$/,
  freeTexts: new Set([
    'prompt',
    'suffix',
    'stop',
    'user',
    'model',
    'models',
    'text',
    'content',
    'type',
    'name',
    'description',
    'guided_choice',
    'guided_regex',
    'guided_grammar',
    'prompt_cache_key',
    'safety_identifier',
    'request_id',
    'session_id',
    'user_id',
  ]),
  // Texts and tokens, and names of the client's own.
  free: new Set([
    'prompt',
    'stop',
    'logit_bias',
    'metadata',
    'schema',
    'json_schema',
    'parameters',
    'guided_choice',
    'guided_json',
    'structured_outputs',
  ]),
  identified: new Set(),
  texts: new Set(['service_tier', 'response_format', 'order', 'only', 'ignore']),
  ownNames: new Set(['headers']),
};

/** The objects at the provider that a completion names. */
export function namedObjects(body: unknown): NamedObject[] {
  return objectsNamedIn(body, objectRules);
}
