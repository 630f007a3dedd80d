import type { First } from './express-server.ts';

const YEAR_SECONDS = 31_536_000;
const VALUE = `max-age=${YEAR_SECONDS}`;

/** Adds HSTS to every response (RFC 6797). Without `includeSubDomains`, because other hosts of the domain may not use https. */
export function withTransportSecurity(first: First): First {
  return (request, response) => {
    response.setHeader('strict-transport-security', VALUE);
    return first(request, response);
  };
}
