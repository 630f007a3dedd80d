import type { GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import type { ChatDialect } from '../bridge/chat-dialect.ts';

/**
 * Formats that the Converse API accepts. Source: docs.aws.amazon.com, Amazon Bedrock API reference, ImageBlock and
 * DocumentBlock.
 */
const fileTypes: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/csv',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/html',
  'text/plain',
  'text/markdown',
]);

/** The dialect of Bedrock's models in the Converse API. */
export const converse: ChatDialect = {
  supportedParams: ['parallel_tool_calls', 'service_tier'],
  unsupportedParams: unsupportedValues,
  reasoning: {
    format: 'bedrock-v1',
    namespace: 'amazonBedrock',
    signature: 'signature',
    sealed: ['redactedContent', 'redactedData'],
  },
  supportsInterleavedInstructions: false,
  requiresToolsForCalls: true,
  supportsFile: (mediaType) => fileTypes.has(mediaType),
  fetchesImages: false,
  options: ({ parallel_tool_calls: parallel, service_tier: tier }) => ({
    ...(parallel === false && { anthropic: { disableParallelToolUse: true } }),
    ...(typeof tier === 'string' && tier !== 'auto' && { amazonBedrock: { serviceTier: tier } }),
  }),
};

/**
 * Differences between models, and what the package would change or ignore silently. Source: AWS's pages of each
 * vendor's inference parameters, and the package's own checks.
 */
function unsupportedValues(request: GenerationRequest, model: string): readonly string[] {
  const claude = model.includes('anthropic');
  const openai = /(?:^|\.)openai\./.test(model);
  const effort = request.reasoning_effort ?? 'none';
  const names: string[] = [];
  if (request.response_format?.type === 'json_object') names.push('response_format');
  if (request.parallel_tool_calls === false && !claude) names.push('parallel_tool_calls');
  if (effort !== 'none' && !claude && !openai && !model.includes('amazon.nova-2-lite')) names.push('reasoning_effort');
  if (openai && request.stop) names.push('stop');
  if (!['default', 'flex', 'priority', 'auto', 'reserved'].includes(request.service_tier ?? 'auto'))
    names.push('service_tier');
  // Claude rejects a temperature while thinking.
  const ownSampling = (claude && effort !== 'none') || (openai && !model.includes('gpt-oss'));
  if (typeof request.temperature === 'number' && (ownSampling || (!openai && request.temperature > 1)))
    names.push('temperature');
  if (typeof request.top_p === 'number' && ownSampling) names.push('top_p');
  if (typeof request.top_k === 'number' && claude && effort !== 'none') names.push('top_k');
  return names;
}
