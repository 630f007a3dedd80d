import { isIP } from 'node:net';
import os from 'node:os';
import { domainToASCII } from 'node:url';
import { SluiceError } from '../errors/index.ts';
import { isPublicAddress } from './public-address.ts';

const MAX_URL_LENGTH = 2_048;
const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?#]+)/i;
/** What URL parsers leave out, turn around or disagree about. */
// oxlint-disable-next-line no-control-regex
const ODD_CHARACTER = /[\s\\\u0000-\u001f\u007f]/;
const PORT = /:(\d{1,5})$/;

/** Names that lead to this machine or its network by definition. Source: RFC 6761, 6762, 8375, and ICANN for `internal`. */
const localNames = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

/**
 * Says where a request may go whose destination somebody else named: a tenant, a client. Only to the public internet, or
 * where the operator allows it. All ports are open: what is public is open to everybody, and ports tell little.
 */
export class OutboundGuard {
  readonly #allow: readonly string[];
  readonly #exempt: ReadonlySet<string>;

  readonly #ownNames: ReadonlySet<string>;

  /**
   * @param allow `host:port` that the operator exempts; an IPv6 address stands in brackets
   * @param ownNames host names of this server: a request to itself could call itself for ever
   */
  constructor(allow: readonly string[], ownNames: Iterable<string> = []) {
    this.#allow = allow;
    this.#ownNames = new Set(ownNames);
    this.#exempt = new Set(allow.map(normalizedEntry));
  }

  /**
   * Checks a URL before it is kept or called, so that a refusal is early and clear. What its name leads to is looked at when
   * it is dialled.
   * @param param the member that the URL came in
   * @param longest in characters
   * @throws SluiceError outbound_refused
   */
  checkUrl(text: string, param: string | null = null, longest = MAX_URL_LENGTH): URL {
    if (text.length > longest) throw refusal('it is too long', param);
    if (ODD_CHARACTER.test(text)) throw refusal('it holds a character that no URL has', param);
    const authority = SCHEME_AND_AUTHORITY.exec(text)?.[1];
    if (authority === undefined) throw refusal('it must begin with https:// or http://, and a host', param);
    if (authority.includes('@')) throw refusal('it must not hold a user name or password', param);
    if (authority.includes('%')) throw refusal('its host must not be percent-encoded', param);
    if (!URL.canParse(text)) throw refusal('it is no valid URL', param);
    const url = new URL(text);
    const host = unbracketed(url.hostname);
    const written = unbracketed(authority.replace(PORT, '').replace(/:$/, ''));
    // Another parser may read an odd notation in another way: 010.0.0.1, 0x7f.1, 2130706433, 127.1, １２７.0.0.1
    if (isIP(host) !== 0 && isIP(written) === 0) throw refusal('its address must be written the usual way', param);
    this.checkHost(host, portOf(url.protocol, url.port), param);
    return url;
  }

  /**
   * Checks a host by what it is called; an address, by what it is.
   * @param host without brackets
   * @throws SluiceError outbound_refused
   */
  checkHost(host: string, port: number, param: string | null = null): void {
    if (this.exempts(host, port)) return;
    if (isIP(host) !== 0) {
      if (!isPublicAddress(host)) throw refusal(`${host} is no public address`, param, { allow: entryOf(host, port) });
      if (isOwnAddress(host)) throw refusal(`${host} is this server itself`, param);
      return;
    }
    const name = host.toLowerCase();
    if (this.#ownNames.has(name)) throw refusal(`${name} is this server itself`, param);
    if (name.endsWith('.')) throw refusal('its host must not end with a dot', param);
    if (!name.includes('.') || localNames.some((local) => name === local || name.endsWith(`.${local}`)))
      throw refusal(`${name.slice(0, 253)} is no public name`, param, { allow: entryOf(name, port) });
  }

  /**
   * Checks all that a name leads to: one address that is not public spoils the others.
   * @throws SluiceError outbound_refused, which tells the addresses to the log alone
   */
  checkAddresses(host: string, addresses: readonly string[]): void {
    const refused = addresses.filter((address) => !isPublicAddress(address) || isOwnAddress(address));
    if (refused.length > 0)
      throw refusal(`${host.slice(0, 253)} leads to an address that is not public`, null, {
        allow: entryOf(host, 'port'),
        detail: refused.join(', '),
      });
  }

  /** The same guard, with further exemptions. */
  exempting(allow: readonly string[]): OutboundGuard {
    return new OutboundGuard([...this.#allow, ...allow], this.#ownNames);
  }

  /** Whether the operator lets this host and port be dialled, whatever is there. */
  exempts(host: string, port: number): boolean {
    return this.#exempt.size > 0 && this.#exempt.has(`${host.toLowerCase()} ${port}`);
  }
}

/** Whether an address is one of this machine's, where its interfaces have public ones. */
function isOwnAddress(address: string): boolean {
  return Object.values(os.networkInterfaces()).some((own) => own?.some((each) => each.address === address) === true);
}

/** The port that a URL's protocol and port mean. */
export function portOf(protocol: string | undefined, port: string): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** `[::1]` as `::1`. */
export function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function normalizedEntry(entry: string): string {
  const at = entry.lastIndexOf(':');
  const [host, port] = [entry.slice(0, at), Number(entry.slice(at + 1))];
  const url = `http://${host}/`;
  const canonical = URL.canParse(url) ? unbracketed(new URL(url).hostname) : domainToASCII(host);
  return `${canonical.toLowerCase()} ${port}`;
}

/** As `SLUICE_OUTBOUND_ALLOW` takes it. */
function entryOf(host: string, port: number | 'port'): string {
  return `${host.includes(':') ? `[${host}]` : host.slice(0, 253)}:${port}`;
}

/** @param more `allow`: what the operator would have to allow; absent where nothing makes it right */
function refusal(reason: string, param: string | null, more: { allow?: string; detail?: string } = {}): SluiceError {
  const { allow, detail } = more;
  return new SluiceError('outbound_refused', {
    param,
    values: { reason },
    ...(detail !== undefined && { detail }),
    ...(allow !== undefined && { hint: `The operator can allow it with SLUICE_OUTBOUND_ALLOW=${allow}.` }),
  });
}
