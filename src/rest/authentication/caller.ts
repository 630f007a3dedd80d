import type { RequestHandler, Response } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { authenticate, type KeyAuthentication } from './authenticate.ts';

declare global {
  namespace Express {
    interface Locals {
      key?: KeyRecord;
    }
  }
}

/** Requires authentication. Mounted before the routes, so that unauthenticated clients do not learn which exist. */
export function requireCaller(authentication: KeyAuthentication): RequestHandler {
  return (request, response, next) => {
    const found = authenticate(request, authentication);
    if (!(found instanceof Promise)) {
      response.locals.key = found;
      next();
      return undefined;
    }
    return found.then((key) => {
      response.locals.key = key;
      next();
    });
  };
}

/** @throws SluiceError internal_error on a route without `requireCaller` */
export function keyOf(response: Response): KeyRecord {
  const key: KeyRecord | undefined = response.locals.key;
  if (key === undefined) throw new SluiceError('internal_error', { detail: 'a route without requireCaller' });
  return key;
}
