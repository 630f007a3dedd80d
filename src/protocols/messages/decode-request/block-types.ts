import { SluiceError } from '../../../errors/index.ts';

/** Types of content blocks that are converted, or dropped by name. Source: platform.claude.com/docs/en/api/messages. */
const blockTypes: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'mcp_tool_use',
  'container_upload',
  'compaction',
  'tool_reference',
]);
/** Results of Anthropic's own tools, of which new ones appear: `web_search_tool_result`. */
const providerResult = /^[a-z0-9_]+_tool_result$/;
const MAX_SHOWN_LENGTH = 64;

/**
 * A misspelled type must not lose the content of a block.
 * @throws SluiceError invalid_value for a type that the protocol does not define
 */
export function assertBlockType(type: unknown, path: string): void {
  if (typeof type === 'string' && (blockTypes.has(type) || providerResult.test(type))) return;
  const reason = `${JSON.stringify(String(type).slice(0, MAX_SHOWN_LENGTH))} is not a type of content block. Supported values are: ${[...blockTypes].join(', ')}, and the \`…_tool_result\` types of server tools.`;
  throw new SluiceError('invalid_value', { param: `${path}.type`, values: { reason } });
}

/** @returns the error for content of which nothing is left without the blocks that have no equivalent */
export function nothingLeft(param: string): SluiceError {
  const reason =
    'has no block that the provider of this model accepts. Add a block of type `text`, or choose a model of a provider that supports its blocks.';
  return new SluiceError('unsupported_value', { param, values: { reason } });
}
