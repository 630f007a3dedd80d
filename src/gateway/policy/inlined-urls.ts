import { SluiceError } from '../../errors/index.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { Connection, MediaKind } from '../../providers/contract.ts';
import { valueOf, type RequestInput } from '../request-input.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { visitUrls, WEB_URL, type ForwardedUrls, type UrlDownload } from './forwarded-urls.ts';
import { linkedMedia, MAX_FETCHED, type LinkedMedia } from './linked-media.ts';

type FoundUrl = Omit<LinkedMedia, 'kind'>;

/** What was fetched for a request, as base64: as much as a client may send itself. */
const MAX_FETCHED_LENGTH = 50 * 1024 * 1024;
const MAX_FETCHED_BYTES = (MAX_FETCHED_LENGTH / 4) * 3;
/** Addresses that are called, and not read: of an MCP server, a webhook. */
const calledAddress =
  /(?:server_?url|mcp_servers\[\d+\]\.url|webhook(?:_?ur[il])?|callback(?:_?ur[il])?|endpoint|api_base|host)s?(?:\[\d+\])?$/i;
const allKinds: readonly MediaKind[] = ['image', 'document'];

/** The part of a capability that says in which protocol a request is sent. */
interface SentText<Request> {
  sentProtocol?(connection: Connection, request: Request, model: string): ProtocolName;
}

/** The kinds of media that a target fetches itself; null for a request that is no chat. */
export type FetchedBy = (target: Target) => readonly MediaKind[] | null;

/** The media that targets fetch themselves of a request. */
export function fetchedBy<Request>(capability: SentText<Request>, request: Request): FetchedBy {
  return ({ connection, upstreamModel: model }) => {
    const protocol = capability.sentProtocol?.(connection, request, model);
    if (protocol === undefined) return null;
    return fetchedMedia(connection, model, protocol);
  };
}

/** Whether a target is sent the content of any media in place of the URL. */
export function isInlined(
  urls: Pick<ForwardedUrls, 'inlines'>,
  { connection, upstreamModel }: Pick<Target, 'connection' | 'upstreamModel'>,
  protocol: ProtocolName,
): boolean {
  const fetched = fetchedMedia(connection, upstreamModel, protocol);
  return urls.inlines(connection.id) || !allKinds.every((kind) => fetched.includes(kind));
}

function fetchedMedia(connection: Connection, model: string, protocol: ProtocolName): readonly MediaKind[] {
  return connection.fetchedMedia?.(model, protocol) ?? (protocol === 'chat-completions' ? ['image'] : allKinds);
}

export interface InliningOptions {
  readonly accountId: string;
  /** Ends the downloads. */
  readonly signal: () => AbortSignal;
  /** As `Call.mediaPaths`: errors name them. */
  readonly paths?: ReadonlyMap<string, readonly string[]> | undefined;
}

/**
 * Fetches the media by URL of a request that may go to a provider which does not fetch them; for a self-hosted server all that
 * is at web URLs, because it would follow redirects into this network.
 * @returns what fetches them, for the body with the content in their place; undefined where every target gets the URLs
 * @throws SluiceError invalid_value for too many; outbound_refused for an address that a self-hosted server would call
 */
export function inlineUrls(
  urls: ForwardedUrls,
  route: ResolvedRoute,
  fetchedBy: FetchedBy,
  input: RequestInput,
  { accountId, signal, paths }: InliningOptions,
): (() => Promise<Buffer>) | undefined {
  if (!Buffer.isBuffer(input)) return undefined;
  const targets = route.larger === null ? route.listed : [...route.listed, route.larger];
  const isAny = targets.some(({ connection }) => urls.inlines(connection.id));
  const inlined = allKinds.filter((kind) => targets.some((target) => fetchedBy(target)?.includes(kind) === false));
  if (!isAny && inlined.length === 0) return undefined;
  const value = valueOf(input);
  const media = linkedMedia(value);
  const found: FoundUrl[] = isAny ? media : media.filter(({ kind }) => inlined.includes(kind));
  if (isAny) found.push(...otherUrls(value, new Set(media.map(({ path }) => path))));
  if (found.length === 0) return undefined;
  const named = paths === undefined ? found : clientPaths(found, paths);
  requireFew(named);
  for (const { url, path } of named) urls.check(url, path);
  return () => fetchAll(urls, value, named, { accountId, signal: signal() });
}

/** With the paths of the client's request; of one URL in several places in the order of both. */
function clientPaths(found: readonly FoundUrl[], paths: ReadonlyMap<string, readonly string[]>): FoundUrl[] {
  const counts = new Map<string, number>();
  return found.map((media) => {
    const at = counts.get(media.url) ?? 0;
    counts.set(media.url, at + 1);
    return { ...media, path: paths.get(media.url)?.[at] ?? media.path };
  });
}

/** @throws SluiceError outbound_refused */
function otherUrls(value: unknown, known: ReadonlySet<string>): FoundUrl[] {
  const found: FoundUrl[] = [];
  visitUrls(value, (url, path, replace) => {
    if (!WEB_URL.test(url) || known.has(path)) return;
    if (!calledAddress.test(path)) {
      // One more than can be fetched is enough to refuse the request.
      if (found.length <= MAX_FETCHED) found.push({ url, path, replace });
      return;
    }
    throw new SluiceError('outbound_refused', {
      param: path,
      values: { reason: 'the provider of this model is self-hosted, and would call it from its own network' },
      hint: 'Remove it, or choose a model of another provider. The operator can allow it with `forward_urls` of the provider.',
    });
  });
  return found;
}

/** @throws SluiceError invalid_value */
function requireFew(found: readonly FoundUrl[]): void {
  const beyond = found[MAX_FETCHED];
  if (beyond === undefined) return;
  const reason = `a request may have at most ${MAX_FETCHED} URLs to fetch. Send the files themselves.`;
  throw new SluiceError('invalid_value', { param: beyond.path, values: { reason } });
}

async function fetchAll(
  urls: ForwardedUrls,
  value: unknown,
  found: readonly FoundUrl[],
  { accountId, signal }: Pick<UrlDownload, 'accountId' | 'signal'>,
): Promise<Buffer> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  let length = 0;
  const fetchOne = async ({ url, path, replace }: FoundUrl): Promise<void> => {
    const onBytes = (received: number): void => {
      length += received;
      if (length <= MAX_FETCHED_BYTES) return;
      const reason = `the files that the request links to have more than ${MAX_FETCHED_LENGTH} bytes as base64. Link to fewer or smaller files.`;
      throw new SluiceError('invalid_value', { param: path, values: { reason } });
    };
    replace(await urls.fetch(url, path, { accountId, signal: ended, onBytes }));
  };
  try {
    await Promise.all(found.map(fetchOne));
  } finally {
    stop.abort();
  }
  return Buffer.from(JSON.stringify(value));
}
