/** Media to be stored temporarily. */
export interface NewMedia {
  readonly accountId: string;
  readonly contentType: string;
  /** The origin that the client used: `https://gateway.example`, without a path. */
  readonly origin: string;
  /** Lifetime; an hour if absent. */
  readonly lifetimeMs?: number;
}

export interface PublishedMedia {
  readonly id: string;
  /** Signed: anyone with the URL can fetch the media until it expires. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** The connection whose response contains a media URL. */
export interface MediaSource {
  /** Named in errors. */
  readonly provider: string;
  /** As `Connection.id`. */
  readonly connectionId: string;
}

/** Media that a provider offers by URL. */
export interface FetchedMedia {
  /** In lower case, without parameters. */
  readonly contentType: string;
  /** To be read to its end or abandoned, which closes the connection. @throws SluiceError provider_invalid_response */
  readonly content: AsyncIterable<Buffer>;
}

/** Stores generated media and creates links to them. */
export interface MediaStore {
  /** @throws SluiceError request_too_large, and what `content` throws; then nothing is stored */
  publish(content: Uint8Array | AsyncIterable<Uint8Array>, media: NewMedia): Promise<PublishedMedia>;
  /** A link to stored media, valid until `expiresAt`. */
  link(id: string, origin: string, expiresAt: Date): string;
  /**
   * Fetches media that a provider offers by URL: from the public internet, or from the provider's own server as
   * connected by the operator.
   * @throws SluiceError provider_invalid_response | provider_unreachable
   */
  fetch(source: MediaSource, url: string, signal: AbortSignal): Promise<FetchedMedia>;
}

/** Larger media of a provider are rejected. */
export const MAX_MEDIA_BYTES = 512 * 1024 * 1024;
