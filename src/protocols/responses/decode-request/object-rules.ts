import type { ObjectRules } from '../../canonical/request/named-objects.ts';

/**
 * Members that name an object at the provider, whatever its id looks like: by text, by a list of texts, or by an object with an
 * `id`. Sources: OpenAI's API document; docs.x.ai, "Collections search"; learn.microsoft.com, "Foundry agent tools".
 */
const naming: ReadonlySet<string> = new Set([
  'approval_request_id',
  'batch_id',
  'collection_id',
  'collection_ids',
  'connector_id',
  'container',
  'container_id',
  'container_ids',
  'conversation',
  'conversation_id',
  'file_id',
  'file_ids',
  'memory_store_name',
  'previous_response_id',
  'project_connection_id',
  'prompt_id',
  'skill_id',
  'skill_ids',
  'upload_id',
  'vector_store_id',
  'vector_store_ids',
  'video_id',
]);
/** Services that OpenAI connects to with the client's own token. Source: OpenAI's API document, MCPTool. */
const services: ReadonlySet<unknown> = new Set([
  'connector_dropbox',
  'connector_gmail',
  'connector_googlecalendar',
  'connector_googledrive',
  'connector_microsoftteams',
  'connector_outlookcalendar',
  'connector_outlookemail',
  'connector_sharepoint',
]);
/**
 * The prefixes of ids: response, conversation, file, upload, vector store, container, stored prompt, skill, batch, fine-tuning
 * job, assistant, thread; `assistant-` of Azure's files and `collection_` of xAI's vector stores. A member that is not known and
 * has such an id is checked, too. Source: the examples of the API documents.
 */
const prefixed =
  /^(?:resp|conv|file|upload|vs|vsfb|cntr|cfile|pmpt|skill|skver|batch|ftjob|asst|assistant|thread|chatcmpl|evalrun|video|collection)[-_][\w-]{6,}$/;
/** Members whose text is the model's or the client's own, and ids of calls, which name nothing at the provider. */
const freeTexts: ReadonlySet<string> = new Set([
  'call_id',
  'caller_id',
  'tool_call_id',
  'tool_use_id',
  'response_id',
  'type',
  'text',
  'content',
  'input',
  'arguments',
  'output',
  'name',
  'title',
  'query',
  'queries',
  'filename',
  'server_label',
  'allowed_tools',
  'instructions',
  'description',
  'metadata',
  'client_metadata',
  'parameters',
  'schema',
  'encrypted_content',
  'prompt_cache_key',
  'safety_identifier',
  'user',
  'model',
  'code',
  'diff',
]);
/** Members whose objects and lists are, too. */
const free: ReadonlySet<string> = new Set([
  'metadata',
  'client_metadata',
  'parameters',
  'schema',
  'input_schema',
  'arguments',
  'queries',
  'allowed_tools',
  'tool_names',
  'headers',
]);
/** How requests of the protocol name objects at its provider. */
export const objectRules: ObjectRules = {
  naming,
  namingObjects: new Set(['agent', 'agent_reference', 'prompt']),
  form: prefixed,
  freeTexts,
  free,
  // Variables of a stored prompt: texts, files and images.
  freeNames: new Set(['variables']),
  // Azure names an agent by its name.
  isName: ({ type }, name) =>
    (name === 'id' && type === 'item_reference') || (name === 'name' && type === 'agent_reference'),
  // A call that has run approves nothing.
  isExempt: ({ type }, name, value) =>
    (name === 'connector_id' && services.has(value)) || (name === 'approval_request_id' && type === 'mcp_call'),
  identified: new Set(['input', 'items', 'acknowledged_safety_checks', 'pending_safety_checks']),
  texts: new Set([
    'role',
    'status',
    'phase',
    'effort',
    'summary',
    'namespace',
    'execution',
    'mode',
    'detail',
    'format',
    'syntax',
    'definition',
    'url',
    'image_url',
    'file_url',
    'file_data',
    'data',
    'result',
    'revised_prompt',
    'logs',
    'stdout',
    'stderr',
    'reason',
    'refusal',
    'error',
    'path',
    'working_directory',
    'command',
    'commands',
    'keys',
    'authorization',
    'server_url',
    'server_description',
    'service_tier',
    'tool_choice',
    'truncation',
    'include',
    'stop',
    'signature',
    'reasoning_content',
    'key',
    'value',
    'city',
    'region',
    'country',
    'timezone',
    'allowed_domains',
    'blocked_domains',
    'search_content_types',
  ]),
  // Attributes of files, filters by them, and variables of a shell.
  ownNames: new Set(['attributes', 'filters', 'env']),
};
