import { usageStatuses } from '../../gateway/usage-record.ts';
import { failure, refused } from './failures.ts';
import { requestId, type Operation } from './parts.ts';

/** Empty is as if it were absent. */
const MOMENT =
  '^(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]+)?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?)?$';
const moment = (name: string, description: string): object => ({
  name,
  in: 'query',
  schema: { type: 'string', pattern: MOMENT },
  description: `${description} A day (of UTC) or a moment, as RFC 3339 writes them.`,
});
const account = {
  name: 'account',
  in: 'query',
  schema: { type: 'string' },
  description: 'Which account, for a user of several: as the header `x-sluice-account`, which links cannot send.',
};

export const invoicePdf: Operation = {
  operationId: 'invoicePdf',
  summary: 'Get an invoice as a PDF',
  description:
    'An invoice of the account: for a key of the scope `read`, or the session of an owner, an admin or the role `billing`. GraphQL lists them: `invoices`.',
  tags: ['Billing'],
  parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'string' } }, account],
  responses: {
    '200': {
      description: 'The invoice.',
      headers: requestId,
      content: { 'application/pdf': { schema: { type: 'string', contentMediaType: 'application/pdf' } } },
    },
    ...refused,
    '404': failure('404', 'The account has no such invoice.'),
  },
};

/** A path with another ending, or an account that the user is no member of. */
const noAccount = { '404': failure('404', 'No such file, or no such account.') };
const file = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } };

const filter = (name: string, description: string, schema: object = { type: 'string' }): object => ({
  name,
  in: 'query',
  schema,
  description,
});

const usageFilters = [
  filter('model', 'Only of this model: `provider/model`.'),
  filter('model_contains', 'Only of models with this in their name, in any case.'),
  filter('provider', 'Only of this provider.'),
  filter('status', 'Only those that ended so.', { type: 'string', enum: usageStatuses }),
  filter('api_key_id', 'Only of this key: its UUID, or its id in GraphQL.'),
  filter('end_user', 'Only of this user of the caller’s.'),
  filter('tag', 'Only with this tag: `name=value`, or a name alone for any value.'),
  filter('request_id', 'Only the request with this `x-request-id`.'),
];

export const exportUsage: Operation = {
  operationId: 'exportUsage',
  summary: 'Export usage',
  description:
    'The usage log of the account, oldest first, as it is stored: for a key of the scope `read`, or a session’s cookie. `cost_usd` is an exact decimal; in Parquet `cost_nano_usd` is a whole number of nano-USD. In CSV, a text that a spreadsheet would take for a formula has an apostrophe before it. A connection that breaks off means that the file is not whole.',
  tags: ['Usage'],
  parameters: [
    { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: ['csv', 'jsonl', 'parquet'] } },
    moment('from', 'From here on.'),
    moment('to', 'Before here.'),
    ...usageFilters,
    account,
  ],
  responses: {
    '200': {
      description: 'The file.',
      headers: requestId,
      content: { 'text/csv': file, 'application/jsonl': file, 'application/vnd.apache.parquet': file },
    },
    ...refused,
    ...noAccount,
    '400': failure('400', 'No such day, moment or status.'),
  },
};

export const exportAudit: Operation = {
  operationId: 'exportAudit',
  summary: 'Export the audit log',
  description:
    'What was done in the account, by whom and from where, oldest first: for owners and administrators, by a session’s cookie or a key of the scope `manage`. In CSV, a text that a spreadsheet would take for a formula has an apostrophe before it; `changes` is JSON. A connection that breaks off means that the file is not whole.',
  tags: ['Accounts'],
  parameters: [
    { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: ['csv', 'jsonl'] } },
    moment('from', 'From here on.'),
    moment('to', 'Before here.'),
    account,
  ],
  responses: {
    '200': { description: 'The file.', headers: requestId, content: { 'text/csv': file, 'application/jsonl': file } },
    ...refused,
    ...noAccount,
    '400': failure('400', 'No such day or moment.'),
  },
};

export const exportAccount: Operation = {
  operationId: 'exportAccount',
  summary: 'Export the account',
  description:
    'All that the account holds, but its secrets, as JSON lines with a `type` each: for owners, by a session’s cookie or a key of the scope `manage`. Also for an account that was deleted, until it is erased. A connection that breaks off means that the file is not whole.',
  tags: ['Accounts'],
  parameters: [account],
  responses: {
    '200': { description: 'The file.', headers: requestId, content: { 'application/jsonl': file } },
    ...refused,
    ...noAccount,
  },
};
