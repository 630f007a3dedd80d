import type { UrlCitation } from '../canonical/stream-part.ts';
import { isObject, textIn, textOf } from '../canonical/json-members.ts';

export type CitedSource = Pick<UrlCitation, 'url' | 'title'>;

/**
 * The page that a citation names: of a web search, or of the caller's own search results. Those of a document name places in
 * it, for which OpenAI has no form: null. Source: platform.claude.com/docs/en/build-with-claude/citations.
 */
export function citedSource(citation: unknown): CitedSource | null {
  if (!isObject(citation)) return null;
  const url = textOf(citation.url) ?? textOf(citation.source);
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  return { url, title: textIn(citation, 'title') };
}
