import { SluiceError } from '../../errors/index.ts';
import type { CompletionFilter } from '../../services/chat-completions/chat-completions.service.ts';

const METADATA = /^metadata\[(.*)\]$/s;

/** Reads the query parameters `model` and `metadata[name]`. @throws SluiceError invalid_value */
export function readCompletionFilter(query: Readonly<Record<string, unknown>>): CompletionFilter {
  const { model, metadata } = query;
  if (metadata !== undefined) throw invalid('metadata', 'name a member: `metadata[topic]=boats`.');
  const members = Object.entries(query).flatMap(([param, value]): [string, string][] => {
    const name = METADATA.exec(param)?.[1];
    return name === undefined ? [] : [[single(param, name), single(param, value)]];
  });
  return {
    model: model === undefined ? null : single('model', model),
    metadata: Object.fromEntries(members),
  };
}

function single(param: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(param, 'it must be a single value.');
  if (value.includes('\u0000')) throw invalid(param, 'it must not contain NUL characters.');
  return value;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
