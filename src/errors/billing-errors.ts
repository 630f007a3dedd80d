import type { CatalogueEntry } from './catalogue-entry.ts';

const invalid = 'invalid_request_error';
const server = 'server_error';

/** Errors of invoices, payments and the ledger. */
export const billingErrors = {
  model_not_priced: {
    status: 403,
    type: invalid,
    message:
      'No price is known for `{model}`, and {bound}. The operator of this server can set its price (USD per 1,000,000 tokens, or per unit) in `sluice.yaml`: {lines}',
  },
  member_not_priced: {
    status: 403,
    type: invalid,
    message:
      'The member `{param}` selects a model or a price in addition to `model`, and {bound}. Omit it, or connect the provider to your account with your own API key.',
  },
  ledger_reference_reused: {
    status: 409,
    type: invalid,
    message: 'This reference belongs to another posting. Choose a new reference.',
  },
  invoice_not_open: {
    status: 409,
    type: invalid,
    message: 'This invoice is {status}. Only an open invoice can be paid or voided.',
  },
  top_up_unavailable: {
    status: 409,
    type: invalid,
    message: 'This server does not sell credit. Ask its operator to add credit to your account.',
  },
  amount_out_of_range: {
    status: 400,
    type: invalid,
    message: 'The amount must be from {min} to {max} USD, in whole cents.',
  },
  payment_provider_failed: {
    status: 502,
    type: server,
    message: 'The payment provider did not respond. Try again in a moment.',
  },
  refund_declined: {
    status: 409,
    type: invalid,
    message: 'The payment provider declined the refund: {reason}',
  },
  webhook_signature_invalid: {
    status: 400,
    type: invalid,
    message:
      'The webhook signature does not match the body, or its timestamp is too old. Check the signing secret and the clock of this server.',
  },
} as const satisfies Record<string, CatalogueEntry>;
