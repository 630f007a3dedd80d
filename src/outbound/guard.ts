import { isIP } from 'node:net';
import os from 'node:os';
import { domainToASCII } from 'node:url';
import { SluiceError } from '../errors/index.ts';
import { isPublicAddress } from './public-address.ts';

const MAX_URL_LENGTH = 2_048;
const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?#]+)/i;
/** Characters that URL parsers remove, convert or treat differently. */
// oxlint-disable-next-line no-control-regex
const ODD_CHARACTER = /[\s\\\u0000-\u001f\u007f]/;
const PORT = /:(\d{1,5})$/;

/** Names reserved for this machine or its network. Source: RFC 6761, 6762, 8375, and ICANN for `internal`. */
const localNames = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

/**
 * Decides which destinations of tenants and clients may receive requests: only public addresses, and those that the operator
 * allows. Ports are not restricted, because public services are reachable for everyone.
 */
export class OutboundGuard {
  readonly #allow: readonly string[];
  readonly #exempt: ReadonlySet<string>;

  readonly #ownNames: ReadonlySet<string>;

  /**
   * @param allow `host:port` that the operator exempts; IPv6 addresses in brackets
   * @param ownNames host names of this server, excluded to prevent request loops
   */
  constructor(allow: readonly string[], ownNames: Iterable<string> = []) {
    this.#allow = allow;
    this.#ownNames = new Set(ownNames);
    this.#exempt = new Set(allow.map(normalizedEntry));
  }

  /**
   * Checks a URL before it is stored or used. The addresses of its host name are checked when it is dialled.
   * @param param the request member that contains the URL
   * @param maxLength in characters
   * @throws SluiceError outbound_refused
   */
  checkUrl(text: string, param: string | null = null, maxLength = MAX_URL_LENGTH): URL {
    if (text.length > maxLength) throw refusal('it is too long', param);
    if (ODD_CHARACTER.test(text)) throw refusal('it contains an invalid character', param);
    const authority = SCHEME_AND_AUTHORITY.exec(text)?.[1];
    if (authority === undefined) throw refusal('it must begin with https:// or http:// and a host', param);
    if (authority.includes('@')) throw refusal('it must not contain a user name or password', param);
    if (authority.includes('%')) throw refusal('its host must not be percent-encoded', param);
    if (!URL.canParse(text)) throw refusal('it is not a valid URL', param);
    const url = new URL(text);
    const host = unbracketed(url.hostname);
    const written = unbracketed(authority.replace(PORT, '').replace(/:$/, ''));
    // Parsers differ on unusual notations: 010.0.0.1, 0x7f.1, 2130706433, 127.1, １２７.0.0.1
    if (isIP(host) !== 0 && isIP(written) === 0) throw refusal('its address must be in the usual notation', param);
    this.checkHost(host, portOf(url.protocol, url.port), param);
    return url;
  }

  /**
   * Checks a host name, or an IP address.
   * @param host without brackets
   * @throws SluiceError outbound_refused
   */
  checkHost(host: string, port: number, param: string | null = null): void {
    if (this.exempts(host, port)) return;
    if (isIP(host) !== 0) {
      if (!isPublicAddress(host))
        throw refusal(`${host} is not a public address`, param, { allow: entryOf(host, port) });
      if (isOwnAddress(host)) throw refusal(`${host} is an address of this server`, param);
      return;
    }
    const name = host.toLowerCase();
    if (this.#ownNames.has(name)) throw refusal(`${name} is a name of this server`, param);
    if (name.endsWith('.')) throw refusal('its host must not end with a dot', param);
    if (!name.includes('.') || localNames.some((local) => name === local || name.endsWith(`.${local}`)))
      throw refusal(`${name.slice(0, 253)} is not a public host name`, param, { allow: entryOf(name, port) });
  }

  /**
   * Checks all addresses of a name: a single one that is not public is enough to refuse it.
   * @throws SluiceError outbound_refused, with the addresses only in `detail`
   */
  checkAddresses(host: string, addresses: readonly string[]): void {
    const refused = addresses.filter((address) => !isPublicAddress(address) || isOwnAddress(address));
    if (refused.length > 0)
      throw refusal(`${host.slice(0, 253)} resolves to an address that is not public`, null, {
        allow: entryOf(host, 'port'),
        detail: refused.join(', '),
      });
  }

  /** The same guard with additional exemptions. */
  exempting(allow: readonly string[]): OutboundGuard {
    return new OutboundGuard([...this.#allow, ...allow], this.#ownNames);
  }

  /** Whether the operator exempts this host and port. */
  exempts(host: string, port: number): boolean {
    return this.#exempt.size > 0 && this.#exempt.has(`${host.toLowerCase()} ${port}`);
  }
}

/** Whether an address belongs to an interface of this machine. */
function isOwnAddress(address: string): boolean {
  return Object.values(os.networkInterfaces()).some((own) => own?.some((each) => each.address === address) === true);
}

/** The effective port of a URL's protocol and port. */
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

/** In the format of `SLUICE_OUTBOUND_ALLOW`. */
function entryOf(host: string, port: number | 'port'): string {
  return `${host.includes(':') ? `[${host}]` : host.slice(0, 253)}:${port}`;
}

/** @param more `allow`: the entry for `SLUICE_OUTBOUND_ALLOW` that permits the request; absent if none can */
function refusal(reason: string, param: string | null, more: { allow?: string; detail?: string } = {}): SluiceError {
  const { allow, detail } = more;
  return new SluiceError('outbound_refused', {
    param,
    values: { reason },
    ...(detail !== undefined && { detail }),
    ...(allow !== undefined && { hint: `The operator can allow it with SLUICE_OUTBOUND_ALLOW=${allow}.` }),
  });
}
