/** Media to be kept for a while. */
export interface NewMedia {
  readonly accountId: string;
  readonly contentType: string;
  /** Where the caller reached us: `https://gateway.example`, without a path. */
  readonly origin: string;
  /** For how long it can be fetched; an hour where absent. */
  readonly lifetimeMs?: number;
}

export interface PublishedMedia {
  readonly id: string;
  /** Signed: whoever has it can fetch the media, until it expires. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** Whose answer it was that names an address. */
export interface MediaSource {
  /** Whom an error names. */
  readonly provider: string;
  /** As `Connection.id`. */
  readonly connectionId: string;
}

/** Media that a provider offers by its address. */
export interface FetchedMedia {
  /** In lower case, without parameters. */
  readonly contentType: string;
  /** To be read to its end, or left: then its connection is closed. @throws SluiceError provider_invalid_response */
  readonly content: AsyncIterable<Buffer>;
}

/** Keeps media that were made, and tells where they are fetched. */
export interface MediaStore {
  /** @throws SluiceError request_too_large, and what the content throws: then nothing is kept */
  publish(content: Uint8Array | AsyncIterable<Uint8Array>, media: NewMedia): Promise<PublishedMedia>;
  /** A link to what is kept already, valid until then. */
  link(id: string, origin: string, expiresAt: Date): string;
  /**
   * Fetches what a provider offers by its address: from the public internet, or from the very server that the operator has
   * connected.
   * @throws SluiceError provider_invalid_response | provider_unreachable
   */
  fetch(source: MediaSource, url: string, signal: AbortSignal): Promise<FetchedMedia>;
}

/** Media longer than this are not taken from a provider. */
export const MAX_MEDIA_BYTES = 512 * 1024 * 1024;
