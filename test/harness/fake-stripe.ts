import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Stripe } from 'stripe';

export const stripeKey = 'sk_test_canary';
export const webhookSecret = 'whsec_test';

export interface StripeRequest {
  /** `POST /v1/customers` */
  readonly what: string;
  /** As the form has it: `items[0][price]`. */
  readonly form: Readonly<Record<string, string>>;
}

type Stored = Record<string, unknown> & { id: string };

/**
 * Plays Stripe's API on a socket of loopback, as far as it is asked here: objects get ids and are found again, a repeated
 * idempotency key gets the same answer, and a meter event whose identifier is known is refused.
 */
export class FakeStripe {
  readonly requests: StripeRequest[] = [];
  readonly stored: Record<
    'customers' | 'prices' | 'meters' | 'subscriptions' | 'sessions' | 'charges' | 'invoicePayments' | 'refunds',
    Stored[]
  > = {
    customers: [],
    prices: [],
    meters: [],
    subscriptions: [],
    sessions: [],
    charges: [],
    invoicePayments: [],
    refunds: [],
  };
  /** Cents by customer and by event. */
  readonly metered = new Map<string, { customer: string; value: number }>();
  /** Whether it is out of order for such a request. */
  failing: (request: StripeRequest) => boolean = () => false;
  /** Why it refuses such a request; null where it does not. */
  declining: (request: StripeRequest) => string | null = () => null;
  readonly #answers = new Map<string, { status: number; body: object }>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  /** @returns its base URL */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** As a day later: which requests were repeated is known no more. */
  forget(): void {
    this.#answers.clear();
  }

  /** Those of one kind, such as `POST /v1/customers`. */
  asked(what: string): readonly StripeRequest[] {
    return this.requests.filter((request) => request.what === what);
  }

  /**
   * A payment that came in, as Stripe has it afterwards.
   * @param paid what was paid; null for a payment of which there is neither a session nor an invoice
   */
  charge(paid: 'credit' | 'invoice' | null, customer: string, amount: number, currency = 'usd'): Stored {
    const intent = newId('pi');
    const object = { object: 'charge', customer, amount, amount_refunded: 0, currency, payment_intent: intent };
    const charge = { id: newId('ch'), ...object };
    this.stored.charges.push(charge);
    if (paid === 'credit')
      this.stored.sessions.push({
        id: newId('cs'),
        object: 'checkout.session',
        mode: 'payment',
        payment_intent: intent,
      });
    if (paid === 'invoice') {
      const payment = { type: 'payment_intent', payment_intent: intent };
      this.stored.invoicePayments.push({
        id: newId('inpay'),
        object: 'invoice_payment',
        invoice: newId('in'),
        payment,
      });
    }
    return charge;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += String(piece);
    const url = new URL(request.url ?? '', 'http://stripe');
    const form = Object.fromEntries(new URLSearchParams(url.search || text));
    const asked = { what: `${request.method} ${url.pathname}`, form };
    const { status, body } = this.#answer(request, asked);
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${this.requests.length}` });
    response.end(JSON.stringify(body));
  }

  #answer(request: IncomingMessage, asked: StripeRequest): { status: number; body: object } {
    if (request.headers.authorization !== `Bearer ${stripeKey}`) return refusal(401, 'No such API key.');
    this.requests.push(asked);
    if (this.failing(asked)) return { status: 500, body: { error: { type: 'api_error', message: 'Out of order.' } } };
    const declined = this.declining(asked);
    if (declined !== null) return refusal(400, declined);
    const key = request.headers['idempotency-key'];
    const repeated = typeof key === 'string' ? this.#answers.get(key) : undefined;
    if (repeated !== undefined) return repeated;
    const answer = this.#routes(asked);
    if (typeof key === 'string') this.#answers.set(key, answer);
    return answer;
  }

  #routes({ what, form }: StripeRequest): { status: number; body: object } {
    switch (what) {
      case 'POST /v1/customers':
        return this.#keep('customers', 'cus', { object: 'customer', ...form });
      case 'GET /v1/prices':
        return list(this.stored.prices.filter((price) => price.lookup_key === form['lookup_keys[0]']));
      case 'POST /v1/prices':
        return this.#keep('prices', 'price', { object: 'price', ...form });
      case 'GET /v1/billing/meters':
        return list(this.stored.meters);
      case 'POST /v1/billing/meters':
        return this.#keep('meters', 'mtr', { object: 'billing.meter', ...form });
      case 'GET /v1/subscriptions':
        return list(
          this.stored.subscriptions.filter(
            (each) => each.customer === form.customer && each['items[0][price]'] === form.price,
          ),
        );
      case 'POST /v1/subscriptions':
        return this.#keep('subscriptions', 'sub', { object: 'subscription', status: 'active', ...form });
      case 'POST /v1/billing/meter_events':
        return this.#meter(form);
      case 'POST /v1/checkout/sessions': {
        const id = newId('cs');
        const url = `https://checkout.stripe.example/${id}`;
        return this.#keep('sessions', 'cs', { object: 'checkout.session', ...form, id, url });
      }
      case 'GET /v1/checkout/sessions':
        return list(this.stored.sessions.filter((each) => each.payment_intent === form.payment_intent));
      case 'POST /v1/refunds':
        return this.#keep('refunds', 're', { object: 'refund', status: 'pending', ...form });
      case 'GET /v1/refunds':
        return list(
          this.stored.refunds
            .filter((each) => each.charge === form.charge)
            .map((each) => ({ ...each, metadata: metadataOf(each) })),
        );
      case 'GET /v1/invoice_payments':
        return list(this.stored.invoicePayments.filter((each) => paidBy(each) === form['payment[payment_intent]']));
      default:
        if (what.startsWith('GET /v1/charges/')) return this.#charge(what.split('/').at(-1) ?? '');
        if (what.startsWith('DELETE /v1/subscriptions/')) return this.#cancel(what.split('/').at(-1) ?? '');
        return refusal(404, `Unrecognized request URL (${what}).`);
    }
  }

  #charge(id: string): { status: number; body: object } {
    const found = this.stored.charges.find((each) => each.id === id);
    return found === undefined
      ? refusal(404, `No such charge: '${id}'`, 'resource_missing')
      : { status: 200, body: found };
  }

  #cancel(id: string): { status: number; body: object } {
    const found = this.stored.subscriptions.find((each) => each.id === id && each.status !== 'canceled');
    if (found === undefined) return refusal(404, `No such subscription: '${id}'`, 'resource_missing');
    Object.assign(found, { status: 'canceled' });
    return { status: 200, body: found };
  }

  #meter(form: Readonly<Record<string, string>>): { status: number; body: object } {
    const { identifier = '' } = form;
    if (this.metered.has(identifier)) return refusal(400, `An event already exists with identifier ${identifier}.`);
    const customer = form['payload[stripe_customer_id]'] ?? '';
    if (!this.stored.subscriptions.some((each) => each.customer === customer)) return refusal(400, 'No subscription.');
    this.metered.set(identifier, { customer, value: Number(form['payload[value]']) });
    const timestamp = Math.floor(Date.now() / 1_000);
    return { status: 200, body: { object: 'billing.meter_event', identifier, timestamp, created: timestamp } };
  }

  #keep(kind: keyof FakeStripe['stored'], prefix: string, object: object): { status: number; body: object } {
    const kept = { id: newId(prefix), ...object };
    this.stored[kind].push(kept);
    return { status: 200, body: kept };
  }
}

export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

/** An event as Stripe sends it. @param at when it was signed, in milliseconds since the epoch */
export function signedEvent(
  id: string,
  type: string,
  object: object,
  { secret = webhookSecret, at = Date.now() }: { secret?: string; at?: number } = {},
): SignedEvent {
  const body = JSON.stringify({ id, object: 'event', type, created: Math.floor(at / 1_000), data: { object } });
  const timestamp = Math.floor(at / 1_000);
  return { body, signature: Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().slice(0, 13)}`;
}

function paidBy({ payment }: Stored): unknown {
  return typeof payment === 'object' && payment !== null && 'payment_intent' in payment ? payment.payment_intent : null;
}

function metadataOf(form: Stored): object {
  const members = Object.entries(form).map(([name, value]) => [/^metadata\[(.+)\]$/.exec(name)?.[1], value]);
  return Object.fromEntries(members.filter(([name]) => name !== undefined));
}

function list(data: readonly object[]): { status: number; body: object } {
  return { status: 200, body: { object: 'list', data, has_more: false, url: '/' } };
}

function refusal(status: number, message: string, code?: string): { status: number; body: object } {
  return { status, body: { error: { type: 'invalid_request_error', message, code } } };
}
