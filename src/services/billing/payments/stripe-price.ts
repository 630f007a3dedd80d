import type { Stripe } from 'stripe';

/** The meter that invoices are reported to; it sums cents. */
export const METER_EVENT = 'sluice_invoiced_cents';
const LOOKUP_KEY = 'sluice_invoiced_cent';

/**
 * The price of one cent per unit, which accounts subscribe to: found by its lookup key, or created with its meter. @returns
 * its id
 */
export async function centPrice(stripe: Stripe): Promise<string> {
  const found = await stripe.prices.list({ lookup_keys: [LOOKUP_KEY], active: true, limit: 1 });
  const [price] = found.data;
  if (price !== undefined) return price.id;
  const made = await stripe.prices.create(
    {
      currency: 'usd',
      unit_amount: 1,
      lookup_key: LOOKUP_KEY,
      recurring: { interval: 'month', usage_type: 'metered', meter: await centMeter(stripe) },
      product_data: { name: 'AI gateway, as invoiced' },
    },
    { idempotencyKey: `sluice:price:${LOOKUP_KEY}` },
  );
  return made.id;
}

async function centMeter(stripe: Stripe): Promise<string> {
  for await (const meter of stripe.billing.meters.list({ status: 'active', limit: 100 }))
    if (meter.event_name === METER_EVENT) return meter.id;
  const made = await stripe.billing.meters.create(
    {
      display_name: 'Sluice: invoiced cents',
      event_name: METER_EVENT,
      default_aggregation: { formula: 'sum' },
      customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
      value_settings: { event_payload_key: 'value' },
    },
    { idempotencyKey: `sluice:meter:${METER_EVENT}` },
  );
  return made.id;
}
