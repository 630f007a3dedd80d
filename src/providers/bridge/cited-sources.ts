import type { LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider';
import type { UrlCitation } from '../../protocols/canonical/stream-part.ts';

/** The sources of a response and their positions in its text. */
export class CitedSources {
  readonly #sources: UrlCitation[] = [];
  readonly #anchored: UrlCitation[] = [];

  /** A source; its citations follow in separate parts, if there are any. */
  add(source: LanguageModelV4Source): void {
    if (source.sourceType === 'url') this.#sources.push({ ...pageOf(source), startIndex: 0, endIndex: 0 });
  }

  /** `offset` is the position in the complete text at which the cited block begins. */
  cite(citations: readonly LanguageModelV4Citation[], offset: number): void {
    for (const { source, startIndex, endIndex } of citations) {
      if (source.sourceType !== 'url') continue;
      const isAnchored = startIndex !== undefined && endIndex !== undefined;
      const range = isAnchored ? { startIndex: offset + startIndex, endIndex: offset + endIndex } : noRange;
      this.#anchored.push({ ...pageOf(source), ...range });
    }
  }

  /** A source that is cited is not listed again without its position. */
  citations(): UrlCitation[] {
    const cited = new Set(this.#anchored.map(({ url }) => url));
    return [...this.#anchored, ...this.#sources.filter(({ url }) => !cited.has(url))];
  }
}

const noRange = { startIndex: 0, endIndex: 0 };

function pageOf({ url, title }: { readonly url: string; readonly title?: string }): Pick<UrlCitation, 'url' | 'title'> {
  return { url, title: title ?? '' };
}
