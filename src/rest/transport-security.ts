import type { RequestHandler } from 'express';

const YEAR_S = 31_536_000;

/** Once seen, a browser comes by https alone (RFC 6797). For this host only: what others of its domain do is theirs. */
export const transportSecurity: RequestHandler = (_request, response, next) => {
  response.setHeader('strict-transport-security', `max-age=${YEAR_S}`);
  next();
};
