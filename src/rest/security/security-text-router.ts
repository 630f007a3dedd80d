import express, { type Router } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { onlyMethods } from '../http/errors.ts';

export interface SecurityTextOptions {
  /** Public origin of this server. */
  readonly publicUrl: () => string;
  /** A `mailto:` or `https:` URL. Defaults to `security@<host>` of RFC 2142. */
  readonly contact?: string | undefined;
  readonly clock?: Clock;
}

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/** `/.well-known/security.txt` (RFC 9116): the contact for reports of vulnerabilities. */
export function buildSecurityTextRouter({ publicUrl, contact, clock = systemClock }: SecurityTextOptions): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/.well-known/security.txt')
    .get((_request, response) => {
      const origin = publicUrl();
      // Rounded to days, so that the response is constant for a day.
      const expires = new Date((Math.floor(clock.now() / DAY_MS) + VALID_DAYS) * DAY_MS);
      response.setHeader('cache-control', 'public, max-age=3600');
      response
        .type('text/plain; charset=utf-8')
        .send(
          [
            `Contact: ${contact ?? `mailto:security@${new URL(origin).hostname}`}`,
            `Expires: ${expires.toISOString()}`,
            'Preferred-Languages: en',
            `Canonical: ${origin}/.well-known/security.txt`,
            '',
          ].join('\n'),
        );
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}
