import type { UrlCitation } from '../canonical/stream-part.ts';

/** OpenAI's `annotations` entry. */
export function annotationObject({ url, title, startIndex, endIndex }: UrlCitation): Record<string, unknown> {
  return { type: 'url_citation', url_citation: { url, title, start_index: startIndex, end_index: endIndex } };
}

/** OpenAI's form of a response's id. */
export function completionId(id: string): string {
  return id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`;
}
