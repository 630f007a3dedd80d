import type { First } from './express-server.ts';

const YEAR_S = 31_536_000;
const VALUE = `max-age=${YEAR_S}`;

/** Every answer tells a browser to come by https alone from now on (RFC 6797). For this host only: what others of its domain do is theirs. */
export function withTransportSecurity(first: First): First {
  return (request, response) => {
    response.setHeader('strict-transport-security', VALUE);
    return first(request, response);
  };
}
