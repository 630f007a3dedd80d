import express, { type Request, type Response, type Router } from 'express';
import type { StripeWebhook } from '../../services/billing/payments/stripe-webhook.ts';
import { answerJson } from '../answer-json.ts';
import { onlyMethods } from '../errors.ts';
import { readBody } from '../read-body.ts';

/** What Stripe sends is a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

/** `POST /webhooks/stripe`: for Stripe alone, which signs what it says. Mounted only where the secret for that is known. */
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
  answerJson(response, 200, '{"received":true}');
}
