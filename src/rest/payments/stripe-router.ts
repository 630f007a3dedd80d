import express, { type Request, type Response, type Router } from 'express';
import type { StripeWebhook } from '../../services/billing/payments/stripe-webhook.ts';
import { sendJson } from '../http/send-json.ts';
import { onlyMethods } from '../http/errors.ts';
import { readBody } from '../body/read-body.ts';

/** Stripe's events have a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

/** `POST /webhooks/stripe`: signed events of Stripe. Mounted only with a webhook secret. */
export function buildStripeRouter(webhook: Pick<StripeWebhook, 'receive'>): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/webhooks/stripe')
    .post((request, response) => answer(webhook, request, response))
    .all(onlyMethods('POST', 'OPTIONS'));
  return router;
}

async function answer(webhook: Pick<StripeWebhook, 'receive'>, request: Request, response: Response): Promise<void> {
  const body = await new Promise<Buffer>((done, fail) => readBody(request, MAX_BYTES, done, fail));
  await webhook.receive(body, request.get('stripe-signature'));
  sendJson(response, 200, '{"received":true}');
}
