import { SluiceError } from '../../../errors/index.ts';
import type { JsonObject } from '../../canonical/json-members.ts';

/** The content of a part, one of these. Source: ai.google.dev/api/caching, Part. */
const contentMembers = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;
/** What a part may state beside its content. */
const furtherMembers: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'partMetadata',
  'videoMetadata',
  'mediaResolution',
]);
const MAX_SHOWN_LENGTH = 64;

/**
 * A misspelled member must not lose the content of a part.
 * @throws SluiceError invalid_value for a part without content whose member the protocol does not define
 */
export function assertPartMembers(part: JsonObject, path: string): void {
  if (contentMembers.some((name) => Object.hasOwn(part, name))) return;
  const unknown = Object.keys(part).find((name) => !furtherMembers.has(name));
  if (unknown === undefined) return;
  const reason = `${JSON.stringify(unknown.slice(0, MAX_SHOWN_LENGTH))} is not a member of a part. A part has one of: ${contentMembers.join(', ')}.`;
  throw new SluiceError('invalid_value', { param: path, values: { reason } });
}

/** @returns the error for contents of which nothing is left without the parts that have no equivalent */
export function nothingLeft(param: string): SluiceError {
  const reason =
    'has no part that the provider of this model accepts. Add a part with `text`, or choose a model of a provider that supports its parts.';
  return new SluiceError('unsupported_value', { param, values: { reason } });
}
