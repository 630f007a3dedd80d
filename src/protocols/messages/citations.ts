import type { UrlCitation } from '../canonical/stream-part.ts';
import { isObject, textIn, textOf } from '../canonical/json-members.ts';

export type CitedSource = Pick<UrlCitation, 'url' | 'title'>;

/**
 * The source of a citation: a web search result, or one of the client's search results. Null for citations of a
 * document, whose positions OpenAI has no format for. Source: platform.claude.com/docs/en/build-with-claude/citations.
 */
export function citedSource(citation: unknown): CitedSource | null {
  if (!isObject(citation)) return null;
  const url = textOf(citation.url) ?? textOf(citation.source);
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  return { url, title: textIn(citation, 'title') };
}
