import { SluiceError } from '../../../errors/index.ts';
import type { GenerationRequest } from '../../canonical/generation-request.ts';
import { isObject, listOf, textOf, type JsonObject } from '../../canonical/json-members.ts';

/** Members of Anthropic's own API, forwarded unchanged. Source: platform.claude.com/docs/en/api/beta/messages. */
const passed = [
  'cache_control',
  'container',
  'context_management',
  'fallbacks',
  'inference_geo',
  'mcp_servers',
  'speed',
] as const;

/** All members of Anthropic's own API that are read; `betas` as in Anthropic's SDKs, for the header `anthropic-beta`. */
export const ownNames: ReadonlySet<string> = new Set([...passed, 'thinking', 'output_config', 'betas']);

/** @throws SluiceError invalid_value */
export function ownMembers(request: GenerationRequest): JsonObject {
  for (const name of ['thinking', 'output_config'])
    if (isSpecified(request[name]) && !isObject(request[name])) throw invalid(name, 'it must be an object.');
  return Object.fromEntries(passed.map((name) => [name, request[name]]).filter(([, value]) => isSpecified(value)));
}

/** Features of a request that need a beta header. */
export interface BetaUses {
  readonly uploads: boolean;
  readonly bindingControls: boolean;
  readonly compaction: boolean;
}

/**
 * The values of `anthropic-beta`: those that the request needs, and those of the client.
 * @throws SluiceError invalid_value
 */
export function betaNames(
  request: GenerationRequest,
  { uploads, bindingControls, compaction }: BetaUses,
): readonly string[] {
  const names = new Set<string>();
  if (uploads) names.add('files-api-2025-04-14');
  if (bindingControls) names.add('thinking-binding-controls-2026-08-01');
  if (compaction) names.add('compact-2026-01-12');
  if (isSpecified(request.mcp_servers)) names.add('mcp-client-2025-04-04');
  if (isObject(request.context_management)) {
    names.add('context-management-2025-06-27');
    const edits = listOf(request.context_management.edits).filter(isObject);
    if (edits.some(({ type }) => textOf(type)?.startsWith('compact_'))) names.add('compact-2026-01-12');
  }
  if (isObject(request.container) && isSpecified(request.container.skills))
    for (const name of ['code-execution-2025-08-25', 'skills-2025-10-02', 'files-api-2025-04-14']) names.add(name);
  if (request.speed === 'fast') names.add('fast-mode-2026-02-01');
  if (isSpecified(request.fallbacks)) names.add('server-side-fallback-2026-07-01');
  if (isSpecified(request.betas) && !Array.isArray(request.betas))
    throw invalid('betas', 'it must be a list of names.');
  for (const [index, name] of listOf(request.betas).entries()) {
    // A part of a header.
    if (typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name))
      throw invalid(`betas[${index}]`, 'it is not a name of up to 100 letters, digits, `_`, `.` and `-`.');
    names.add(name);
  }
  return [...names];
}

function isSpecified(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
