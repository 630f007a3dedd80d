import type { LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider';
import type { UrlCitation } from '../../protocols/canonical/stream-part.ts';

/** The pages that an answer names, and where in its text it stands on them. */
export class CitedSources {
  readonly #sources: UrlCitation[] = [];
  readonly #anchored: UrlCitation[] = [];

  /** A page that was found; where it is cited comes apart, if at all. */
  add(source: LanguageModelV4Source): void {
    if (source.sourceType === 'url') this.#sources.push({ ...pageOf(source), startIndex: 0, endIndex: 0 });
  }

  /** `offset` is where in the whole text the block begins that these support. */
  cite(citations: readonly LanguageModelV4Citation[], offset: number): void {
    for (const { source, startIndex, endIndex } of citations) {
      if (source.sourceType !== 'url') continue;
      const isAnchored = startIndex !== undefined && endIndex !== undefined;
      const range = isAnchored ? { startIndex: offset + startIndex, endIndex: offset + endIndex } : noRange;
      this.#anchored.push({ ...pageOf(source), ...range });
    }
  }

  /** A page that is cited somewhere is not named once more without its place. */
  citations(): UrlCitation[] {
    const cited = new Set(this.#anchored.map(({ url }) => url));
    return [...this.#anchored, ...this.#sources.filter(({ url }) => !cited.has(url))];
  }
}

const noRange = { startIndex: 0, endIndex: 0 };

function pageOf({ url, title }: { readonly url: string; readonly title?: string }): Pick<UrlCitation, 'url' | 'title'> {
  return { url, title: title ?? '' };
}
