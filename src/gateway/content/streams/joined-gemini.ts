import { isObject, membersOf, objectsOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';

type Members = Record<string, unknown>;

/**
 * The response that a stream of Gemini's API delivers, with consecutive texts of one kind joined; null for a stream without one.
 * Source: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
 */
export function joinedGemini(chunks: readonly unknown[]): JsonObject | null {
  const response: Members = {};
  const candidates = new Map<number, Members>();
  for (const chunk of chunks) {
    if (!isObject(chunk)) continue;
    const { candidates: ofChunk, ...rest } = chunk;
    Object.assign(response, rest);
    for (const candidate of objectsOf(ofChunk)) {
      const index = typeof candidate.index === 'number' ? candidate.index : 0;
      const known = candidates.get(index) ?? {};
      candidates.set(index, { ...known, ...candidate, content: joinedContent(known.content, candidate.content) });
    }
  }
  if (candidates.size === 0 && Object.keys(response).length === 0) return null;
  return { candidates: [...candidates.values()], ...response };
}

function joinedContent(before: unknown, next: unknown): JsonObject {
  const parts: Members[] = objectsOf(membersOf(before).parts).map((part) => ({ ...part }));
  for (const part of objectsOf(membersOf(next).parts)) {
    const last = parts.at(-1);
    const isText = typeof part.text === 'string' && typeof last?.text === 'string';
    if (isText && part.thought === last.thought) Object.assign(last, part, { text: `${last.text}${part.text}` });
    else parts.push({ ...part });
  }
  return { ...membersOf(before), ...membersOf(next), parts };
}
