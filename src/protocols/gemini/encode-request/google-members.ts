import { SluiceError } from '../../../errors/index.ts';
import type { GenerationRequest } from '../../canonical/generation-request.ts';
import { objectOf, type JsonObject } from '../../canonical/json-members.ts';

/** Members of GenerateContentRequest that are forwarded unchanged. */
const ofRequest = new Set(['safetySettings', 'cachedContent', 'tools', 'toolConfig']);

/**
 * The same of its GenerationConfig, without those that limit the output: OpenAI's members do, and the gateway reserves
 * cost by them.
 */
const ofGeneration = new Set([
  'thinkingConfig',
  'responseModalities',
  'mediaResolution',
  'imageConfig',
  'speechConfig',
  'audioTimestamp',
  'enableEnhancedCivicAnswers',
]);

/** Members of a chat request that contain Google's own members. */
const bare = ['safetySettings', 'safety_settings', 'cachedContent', 'cached_content'] as const;
const containers = ['google', 'extra_body'] as const;

export const googleNames: ReadonlySet<string> = new Set([...bare, ...containers]);

/** Google's own members, in camel case. */
export interface GoogleMembers {
  readonly request: JsonObject;
  readonly generation: JsonObject;
  readonly tools: readonly unknown[];
  readonly toolConfig: JsonObject;
  /** Paths of members that are not supported. */
  readonly unsupported: readonly string[];
}

const noMembers: GoogleMembers = { request: {}, generation: {}, tools: [], toolConfig: {}, unsupported: [] };

/**
 * Reads Google's own members: `safety_settings` and `cached_content` at the top level, or any within `google`, also within
 * `extra_body` as in Google's own OpenAI-compatible API. In camel case or snake case.
 * @throws SluiceError invalid_value for a container that is not an object, misspelled_parameter for a name in both cases
 */
export function googleMembers(request: GenerationRequest): GoogleMembers {
  if (![...googleNames].some((name) => request[name] !== undefined && request[name] !== null)) return noMembers;
  const found = {
    request: new Map<string, unknown>(),
    generation: new Map<string, unknown>(),
    unsupported: [''].slice(1),
  };
  requireOneSpelling(
    bare.filter((name) => isSpecified(request[name])),
    '',
  );
  for (const name of bare) if (isSpecified(request[name])) found.request.set(camelCase(name), request[name]);
  const extra = object(request.extra_body, 'extra_body');
  for (const name of Object.keys(extra)) if (name !== 'google') found.unsupported.push(`extra_body.${name}`);
  for (const [source, path] of [[request.google, 'google'] as const, [extra.google, 'extra_body.google'] as const]) {
    requireOneSpelling(Object.keys(object(source, path)), `${path}.`);
    for (const [name, value] of Object.entries(object(source, path))) {
      const own = camelCase(name);
      if (!isSpecified(value)) continue;
      if (ofRequest.has(own)) found.request.set(own, value);
      else if (ofGeneration.has(own)) found.generation.set(own, value);
      else if (own === 'generationConfig') {
        requireOneSpelling(Object.keys(object(value, `${path}.${name}`)), `${path}.${name}.`);
        for (const [inner, innerValue] of Object.entries(object(value, `${path}.${name}`)))
          if (ofGeneration.has(camelCase(inner))) found.generation.set(camelCase(inner), innerValue);
          else found.unsupported.push(`${path}.${name}.${inner}`);
      } else found.unsupported.push(`${path}.${name}`);
    }
  }
  const { tools, toolConfig, ...members } = Object.fromEntries(found.request);
  if (tools !== undefined && !Array.isArray(tools)) throw refusal('google.tools', 'it must be an array.');
  return {
    request: members,
    generation: Object.fromEntries(found.generation),
    tools: tools ?? [],
    toolConfig: object(toolConfig, 'google.tool_config'),
    unsupported: found.unsupported,
  };
}

/** Google treats both spellings as the same member. @throws SluiceError misspelled_parameter for a name in both cases */
function requireOneSpelling(names: readonly string[], path: string): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const meant = seen.get(camelCase(name));
    if (meant !== undefined)
      throw new SluiceError('misspelled_parameter', { param: path + name, values: { meant: path + meant } });
    seen.set(camelCase(name), name);
  }
}

function object(value: unknown, param: string): JsonObject {
  if (!isSpecified(value)) return {};
  const found = objectOf(value);
  if (found === null) throw refusal(param, 'it must be an object.');
  return found;
}

function isSpecified(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function refusal(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
