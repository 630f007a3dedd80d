import { filledTextOf, membersOf, objectsOf, type JsonObject } from '../canonical/json-members.ts';
import type { NamedObject } from '../canonical/protocol.ts';
import { objectsNamedIn, type ObjectRules } from '../canonical/request/named-objects.ts';

/** Blocks of a tool's output are part of a replayed conversation: what they name is not read again. */
const output = /_output$/;

/** How requests of the protocol name objects at its provider. */
export const objectRules: ObjectRules = {
  naming: new Set([
    'batch_id',
    'container',
    'container_id',
    'environment_id',
    'file_id',
    'file_ids',
    'memory_store_id',
    'message_batch_id',
    'skill_id',
    'skill_ids',
    'vault_id',
    'vault_ids',
  ]),
  namingObjects: new Set(),
  // Their random part has digits, as names of tools seldom do.
  form: /^(?:file|container|skill|skver|msgbatch)_(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}$/,
  freeTexts: new Set([
    'type',
    'text',
    'content',
    'thinking',
    'signature',
    'data',
    'title',
    'document_title',
    'context',
    'name',
    'server_name',
    'mcp_server_name',
    'tool_name',
    'description',
    'source',
    'url',
    'query',
    'cited_text',
    'encrypted_content',
    'stdout',
    'stderr',
    'system',
    'model',
    'stop_sequences',
    // Of calls.
    'tool_id',
    'tool_call_id',
    'tool_use_id',
  ]),
  free: new Set(['input', 'input_schema', 'input_examples', 'schema', 'metadata', 'stop_sequences']),
  isExempt: ({ type }, name) =>
    (name === 'skill_id' && type === 'anthropic') || (typeof type === 'string' && output.test(type)),
  identified: new Set(['messages', 'content']),
  texts: new Set([
    'role',
    'status',
    'effort',
    'display',
    'keep',
    'media_type',
    'authorization_token',
    'encrypted_index',
    'page_age',
    'error_code',
    'stop_reason',
    'service_tier',
    'inference_geo',
    'speed',
    'betas',
    'tool_choice',
    'allowed_callers',
    'allowed_domains',
    'blocked_domains',
    'city',
    'region',
    'country',
    'timezone',
  ]),
  ownNames: new Set(['headers']),
};

/**
 * The objects at the provider that a request names: files, a container and its custom skills, and whatever has an id of the
 * provider's form. A request that is no chat can name them, too. Sources:
 * platform.claude.com/docs/en/build-with-claude/files and /agents-and-tools/agent-skills.
 */
export function namedObjects(body: unknown): NamedObject[] {
  return objectsNamedIn(body, objectRules);
}

/** Names of members by which clients name what they obtained. JSON may escape them, but no client does. */
const obtainable = ['"container"', '"file_id"', '"file_ids"'] as const;

/** Whether a request may name objects that its client obtained: a fast test. @param has whether it has a string, with its quotes */
export function mayNameObjects(has: (quoted: string) => boolean): boolean {
  return obtainable.some(has);
}

/**
 * The ids of a message that its client may name later: its container, and files that its code wrote. Source:
 * platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool.
 */
export function obtainedObjects({ container, content }: JsonObject): string[] {
  const outputs = objectsOf(content).flatMap((block) => objectsOf(membersOf(block.content).content));
  const ids = [membersOf(container).id, ...outputs.map(({ file_id: id }) => id)].map(filledTextOf);
  return [...new Set(ids.filter((id) => id !== null))];
}
