import { SluiceError } from '../../errors/index.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

/** Checks and fetches URLs in requests, which a provider would otherwise fetch. */
export interface ForwardedUrls {
  /** @throws SluiceError outbound_refused, naming the member, for a URL that is not allowed */
  check(url: string, param: string): void;
  /** Whether a connection gets the content in place of every URL. */
  inlines(connectionId: string): boolean;
  /**
   * Fetches a URL as a data: URL.
   * @throws SluiceError outbound_refused | invalid_value, naming the member, as the promise's rejection
   */
  fetch(url: string, param: string, download: UrlDownload): Promise<string>;
}

/** For whom a URL is fetched. */
export interface UrlDownload {
  readonly accountId: string;
  /** Ends the download. */
  readonly signal: AbortSignal;
  /** Called with the length of each chunk of the content. @throws SluiceError, which ends the download */
  onBytes(length: number): void;
}

/**
 * Members that may contain a URL, by the last word of their name: `url`, `image_url`, `file_data`, `ref_images`,
 * `startImage` ... Sources: LocalAI (`ref_images`, `start_image`, `end_image`), SGLang (`image_data`).
 */
const addressName =
  /(?:^|[_-])(?:ur[il]|image|img|mask|frame|video|audio|file|(?:image|video|audio|file)_data|input_reference|webhook|callback|endpoint|api_base|host)s?$/i;
/** The same in camel case: `imageUrl`. */
const capitalisedName =
  /[a-z](?:Ur[il]|UR[IL]|Image|Img|Mask|Frame|Video|Audio|File|Webhook|Callback|Endpoint|Host)s?$/;
/** Members with free content: schemas, arguments, metadata. */
const freeNames: ReadonlySet<string> = new Set([
  'parameters',
  'schema',
  'json_schema',
  'input_schema',
  'arguments',
  'metadata',
  'user_location',
]);
export const WEB_URL = /^\s*https?:/i;
const SCHEME = /^\s*([a-z][a-z0-9+.-]*):\/\//i;
/** Schemes for a provider's own storage, which are not fetched from a network address. */
const ownStorage: ReadonlySet<string> = new Set(['gs', 's3']);
const DATA_URL = /^data:[a-z0-9.+-]{1,100}\/[a-z0-9.+-]{1,100}(?:;[a-z0-9=.+-]{1,100}){0,10};base64,[a-z0-9+/_-]/i;
const DATA_HEAD = 1_400;
/** The start of all of the above: a fast check that excludes most texts. */
const URL_HEAD = /^\s*[a-z][a-z0-9+.-]*:/i;
/** Deeper than any URL in a request. */
const MAX_DEPTH = 12;
/**
 * Checks every URL that may be sent to a provider, which would fetch it from its own network: for a self-hosted server,
 * this network.
 * @param value the parsed request
 * @returns whether it contains a web URL
 * @throws SluiceError outbound_refused | invalid_value, naming the member
 */
export function checkForwardedUrls(urls: ForwardedUrls, value: unknown): boolean {
  let hasWebUrl = false;
  visitUrls(value, (text, path) => {
    if (WEB_URL.test(text)) {
      hasWebUrl = true;
      return urls.check(text, path);
    }
    if (text.slice(0, 5).toLowerCase() === 'data:') {
      // Files may be plain text; images, audio and video never are.
      if (path.endsWith('file_data') || DATA_URL.test(text.slice(0, DATA_HEAD))) return;
      const reason = 'it must be a base64 data: URL, such as data:image/png;base64,…';
      throw new SluiceError('invalid_value', { param: path, values: { reason } });
    }
    const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
    if (scheme !== undefined && !ownStorage.has(scheme)) urls.check(text, path);
  });
  return hasWebUrl;
}

type Visitor = (text: string, path: string, replace: (text: string) => void) => void;

/** Visits the members of a request that may contain a URL. @param visitor gets their paths, as `messages[0].content[1].image_url.url` */
export function visitUrls(value: unknown, visitor: Visitor): void {
  if (isObject(value)) visitMembers(value, [], visitor);
}

/** @param path names and indexes of the object */
function visitMembers(object: Record<string, unknown>, path: (string | number)[], visitor: Visitor): void {
  if (path.length === MAX_DEPTH) return;
  for (const name in object) {
    const member = object[name];
    if (isCited(object.type, name)) continue;
    if (typeof member === 'string') {
      if (URL_HEAD.test(member) && mayHoldUrl(name))
        visitor(member, pathText(path, name), (text) => (object[name] = text));
    } else if (typeof member === 'object' && member !== null && !freeNames.has(name)) {
      path.push(name);
      if (Array.isArray(member)) visitItems(member, path, visitor, name);
      else if (isObject(member)) visitMembers(member, path, visitor);
      path.pop();
    }
  }
}

/** @param name of the member that contains the list */
function visitItems(items: unknown[], path: (string | number)[], visitor: Visitor, name: string): void {
  if (path.length === MAX_DEPTH) return;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    // Lists of numbers and of other texts are long.
    if (typeof item === 'string') {
      if (URL_HEAD.test(item) && mayHoldUrl(name))
        visitor(item, pathText(path, index), (text) => (items[index] = text));
    } else if (typeof item === 'object' && item !== null) {
      path.push(index);
      if (Array.isArray(item)) visitItems(item, path, visitor, name);
      else if (isObject(item)) visitMembers(item, path, visitor);
      path.pop();
    }
  }
}

/** Pages that a search found, in a conversation that is sent again: no provider fetches them. Source: OpenAI's API document. */
function isCited(type: unknown, name: string): boolean {
  return (type === 'web_search_call' && name === 'action') || (type === 'url_citation' && name === 'url');
}

function mayHoldUrl(name: string): boolean {
  return !freeNames.has(name) && (addressName.test(name) || capitalisedName.test(name));
}

function pathText(path: readonly (string | number)[], last: string | number): string {
  return [...path, last].reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}
