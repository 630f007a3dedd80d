import { SluiceError } from '../../errors/index.ts';
import type { GenerationRequest } from './generation-request.ts';

/** How a parameter that a provider does not support is handled: `strict` rejects the request, `drop` omits and reports it. */
export type ParameterPolicy = 'strict' | 'drop';

const none: readonly string[] = [];

/** Values that are equivalent to omitting the parameter. */
const neutral: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: isEmptyObject,
  metadata: isEmptyObject,
  store: (value) => value === false,
  parallel_tool_calls: (value) => value === true,
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  response_format: (value) => typeof value === 'object' && value !== null && 'type' in value && value.type === 'text',
  service_tier: (value) => value === 'auto' || value === 'default',
  tools: (value) => Array.isArray(value) && value.length === 0,
  stop: (value) => Array.isArray(value) && value.length === 0,
};

/** Members that the gateway handles for every provider. */
const served = new Set(['model', 'messages', 'stream', 'stream_options']);

/** The parameters with a non-default value that a provider does not support. */
export function unsupportedParameters(
  request: GenerationRequest,
  supports: (name: string) => boolean,
): readonly string[] {
  let found: string[] | null = null;
  for (const name of Object.keys(request)) {
    if (served.has(name) || supports(name) || isNeutral(name, request[name])) continue;
    (found ??= []).push(name);
  }
  return found ?? none;
}

/**
 * Applies the policy for unsupported parameters.
 * @returns the names of the dropped parameters, which are reported to the client
 * @throws SluiceError unsupported_parameter under `strict`
 */
export function refuseOrDrop(provider: string, names: readonly string[], policy: ParameterPolicy): readonly string[] {
  const [first] = names;
  if (first !== undefined && policy === 'strict')
    throw new SluiceError('unsupported_parameter', { param: first, values: { provider } });
  return names;
}

function isNeutral(name: string, value: unknown): boolean {
  return value === null || value === undefined || (Object.hasOwn(neutral, name) && neutral[name]?.(value) === true);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
