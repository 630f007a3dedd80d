import type { CatalogueEntry } from './catalogue.ts';

const invalid = 'invalid_request_error';
const server = 'server_error';

/** Of the catalogue, what goes wrong with invoices, payments and the ledger. */
export const billingErrors = {
  model_not_priced: {
    status: 403,
    type: invalid,
    message:
      'No price is known for `{model}`, and {bound}. Whoever runs this server can set its price (USD per 1,000,000 tokens, or per unit) in sluice.yaml: {lines}',
  },
  member_not_priced: {
    status: 403,
    type: invalid,
    message:
      'The member `{param}` selects a model or a price beside `model`, and {bound}. Leave it out, or connect the provider to your account under a key of your own.',
  },
  ledger_reference_reused: {
    status: 409,
    type: invalid,
    message: 'This reference was used before, for another posting. Choose a new one.',
  },
  invoice_not_open: {
    status: 409,
    type: invalid,
    message: 'This invoice is {status}: only an open one can be paid or voided.',
  },
  top_up_unavailable: {
    status: 409,
    type: invalid,
    message: 'Credit cannot be bought here. Ask the operator of this server for it.',
  },
  amount_out_of_range: {
    status: 400,
    type: invalid,
    message: 'The amount must be {least} to {most} USD, in whole cents.',
  },
  payment_provider_failed: {
    status: 502,
    type: server,
    message: 'The payment service failed to answer. Try again in a moment.',
  },
  refund_declined: {
    status: 409,
    type: invalid,
    message: 'The payment service declined the refund: {reason}',
  },
  webhook_signature_invalid: {
    status: 400,
    type: invalid,
    message: 'The signature is not that of this body, or too old.',
  },
} as const satisfies Record<string, CatalogueEntry>;
