import { SluiceError } from '../errors/index.ts';
import { isObject } from './capabilities/fault.ts';
import { valueOf, type RequestInput } from './request-input.ts';
import type { ResolvedRoute } from './routing/resolved-route.ts';

/** What becomes of addresses in requests, which whoever serves them would fetch. */
export interface ForwardedUrls {
  /** @throws SluiceError outbound_refused, naming the member, for an address that nobody may be sent to */
  check(url: string, param: string): void;
  /** Whether there is a connection that is sent no addresses. */
  readonly inlinesAny: boolean;
  /** Whether a connection is sent what stands at an address in place of it. */
  inlines(connectionId: string): boolean;
  /** As a data: URL. @throws SluiceError outbound_refused | invalid_value, naming the member, as the promise's rejection */
  fetch(url: string, param: string): Promise<string>;
}

/** An address in a request, and where: `messages[0].content[1].image_url.url`. */
interface FoundUrl {
  readonly url: string;
  readonly path: string;
  replace(url: string): void;
}

/**
 * Members that hold an address, or what may be one, as the last word of their name says: `url`, `image_url`, `file_data`,
 * `ref_images`, `startImage` ... Sources: LocalAI (`ref_images`, `start_image`, `end_image`), SGLang (`image_data`).
 */
const addressName =
  /(?:^|[_-])(?:ur[il]|image|img|mask|frame|video|audio|file|(?:image|video|audio|file)_data|input_reference|webhook|callback|endpoint|api_base|host)s?$/i;
/** The same where words begin with a capital: `imageUrl`. */
const capitalisedName =
  /[a-z](?:Ur[il]|UR[IL]|Image|Img|Mask|Frame|Video|Audio|File|Webhook|Callback|Endpoint|Host)s?$/;
/** Members whose content is the caller's own: schemas, arguments, notes. */
const freeNames: ReadonlySet<string> = new Set([
  'parameters',
  'schema',
  'json_schema',
  'input_schema',
  'arguments',
  'metadata',
  'user_location',
]);
const WEB_URL = /^\s*https?:/i;
const SCHEME = /^\s*([a-z][a-z0-9+.-]*):\/\//i;
/** What a provider's own protocol calls its own storage: nothing that it dials. */
const ownStorage: ReadonlySet<string> = new Set(['gs', 's3']);
const DATA_URL = /^data:[a-z0-9.+-]{1,100}\/[a-z0-9.+-]{1,100}(?:;[a-z0-9=.+-]{1,100}){0,10};base64,[a-z0-9+/_-]/i;
const DATA_HEAD = 1_400;
/** How every text begins that is one of the above: most texts are told from them by a few characters. */
const URL_HEAD = /^\s*[a-z][a-z0-9+.-]*:/i;
/** Deeper than any request holds an address. */
const DEEPEST = 12;
/** Addresses that are fetched for one request. */
const MAX_FETCHED = 32;

/**
 * Looks at every address of a request that may be handed to a provider: it would be fetched from where the provider is, which
 * for a server of one's own is this network.
 * @param value the request, parsed
 * @returns whether it has a web address
 * @throws SluiceError outbound_refused | invalid_value, naming the member
 */
export function checkForwardedUrls(urls: ForwardedUrls, value: unknown): boolean {
  let hasWebUrl = false;
  visit(value, (text, path) => {
    if (WEB_URL.test(text)) {
      hasWebUrl = true;
      return urls.check(text, path);
    }
    if (text.slice(0, 5).toLowerCase() === 'data:') {
      // Files may be text, as it is; pictures, sound and video are never that.
      if (path.endsWith('file_data') || DATA_URL.test(text.slice(0, DATA_HEAD))) return;
      const reason = 'it must be a data: URL in base64, data:image/png;base64,… with what it holds.';
      throw new SluiceError('invalid_value', { param: path, values: { reason } });
    }
    const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
    if (scheme !== undefined && !ownStorage.has(scheme)) urls.check(text, path);
  });
  return hasWebUrl;
}

/**
 * Fetches what stands at the web addresses of a request that may go to a server of one's own: such a server would follow redirects
 * to wherever they lead in this network.
 * @returns the body with data: URLs in their place; undefined where no target is such a server
 */
export function inlineUrls(urls: ForwardedUrls, plan: ResolvedRoute, input: RequestInput): Promise<Buffer> | undefined {
  if (!urls.inlinesAny || !Buffer.isBuffer(input)) return undefined;
  const routes = plan.larger === null ? plan.listed : [...plan.listed, plan.larger];
  if (!routes.some(({ connection }) => urls.inlines(connection.id))) return undefined;
  const value = valueOf(input);
  const found: FoundUrl[] = [];
  visit(value, (url, path, replace) => {
    if (WEB_URL.test(url)) found.push({ url, path, replace });
  });
  return found.length === 0 ? undefined : fetchAll(urls, value, found);
}

async function fetchAll(urls: ForwardedUrls, value: unknown, found: readonly FoundUrl[]): Promise<Buffer> {
  const beyond = found[MAX_FETCHED];
  if (beyond !== undefined) {
    const reason = `more than ${MAX_FETCHED} addresses are not fetched for one request. Send the files themselves.`;
    throw new SluiceError('invalid_value', { param: beyond.path, values: { reason } });
  }
  for (const { url, path } of found) urls.check(url, path);
  const fetched = await Promise.all(found.map(({ url, path }) => urls.fetch(url, path)));
  for (const [index, { replace }] of found.entries()) replace(fetched[index] ?? '');
  return Buffer.from(JSON.stringify(value));
}

type Visitor = (text: string, path: string, replace: (text: string) => void) => void;

function visit(value: unknown, visitor: Visitor): void {
  if (isObject(value)) visitMembers(value, [], visitor);
}

/** @param path the names and places that lead to the object */
function visitMembers(object: Record<string, unknown>, path: (string | number)[], visitor: Visitor): void {
  if (path.length === DEEPEST) return;
  for (const name in object) {
    const member = object[name];
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

/** @param name of the member that holds the list, or lists of it */
function visitItems(items: unknown[], path: (string | number)[], visitor: Visitor, name: string): void {
  if (path.length === DEEPEST) return;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    // Lists of numbers, and of texts that are no addresses, are long.
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

function mayHoldUrl(name: string): boolean {
  return !freeNames.has(name) && (addressName.test(name) || capitalisedName.test(name));
}

function pathText(path: readonly (string | number)[], last: string | number): string {
  return [...path, last].reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}
