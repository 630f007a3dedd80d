import { usageStatuses } from '../../../gateway/usage/usage-record.ts';
import { exportColumnNames } from '../../../services/usage/export/export-columns.ts';
import { usageOrders } from '../../../services/usage/usage-order.ts';
import { datasetFormats } from '../../../services/datasets/dataset-export.ts';
import { failure, refused } from '../failures.ts';
import { requestId, type Operation } from '../parts.ts';

/** An empty value is the same as an absent one. */
const MOMENT =
  '^(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]+)?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?)?$';
const moment = (name: string, description: string): object => ({
  name,
  in: 'query',
  schema: { type: 'string', pattern: MOMENT },
  description: `${description} A UTC date or a timestamp in RFC 3339 format.`,
});
const account = {
  name: 'account',
  in: 'query',
  schema: { type: 'string' },
  description:
    'Account ID, for users of several accounts. Equivalent to the header `x-sluice-account`, which links cannot send.',
};

export const invoicePdf: Operation = {
  operationId: 'invoicePdf',
  summary: 'Get an invoice as a PDF',
  description:
    'Returns an invoice of the account. Requires a key with the scope `read`, or the session of a member with the role `owner`, `admin` or `billing`. The GraphQL query `invoices` lists invoices.',
  tags: ['Billing'],
  parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'string' } }, account],
  responses: {
    '200': {
      description: 'The invoice.',
      headers: requestId,
      content: { 'application/pdf': { schema: { type: 'string', contentMediaType: 'application/pdf' } } },
    },
    ...refused,
    '404': failure('404', 'The account has no invoice with this number.'),
  },
};

/** An unknown file extension, or an account that the user is not a member of. */
const noAccount = { '404': failure('404', 'The file or the account does not exist.') };
const file = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } };

const filter = (name: string, description: string, schema: object = { type: 'string' }): object => ({
  name,
  in: 'query',
  schema,
  description,
});

const usageFilters = [
  filter('model', 'Only requests to this model: `provider/model`.'),
  filter('model_contains', 'Only requests to models whose name contains this text. Case-insensitive.'),
  filter('provider', 'Only requests to this provider.'),
  filter('capability', 'Only requests of this capability: `chat`, `embeddings`, `images` …'),
  filter('member_id', 'Only requests with API keys that this user owned at the time: a UUID, or a GraphQL ID.'),
  filter('errors', 'Only requests that failed, were interrupted or were rejected.', {
    type: 'string',
    enum: ['true'],
  }),
  filter('error_code', 'Only requests with this error code.'),
  filter('status', 'Only requests with this status.', { type: 'string', enum: usageStatuses }),
  filter('api_key_id', 'Only requests with this API key: its UUID, or its GraphQL ID.'),
  filter('end_user', 'Only requests with this end user (`user` or `safety_identifier`).'),
  filter('tag', 'Only requests with this tag: `name=value`, or the name for any value.'),
  filter('session_id', 'Only requests of this session.'),
  filter('trace_id', 'Only requests with this trace ID of W3C Trace Context.'),
  filter('request_id', 'Only the request with this `x-request-id`.'),
  filter(
    'text',
    'Only requests whose logged content has these words, where the content logging of the account has search. Up to 256 characters. Requires permission to read logged content.',
  ),
  filter('feedback', 'Only requests with feedback.', { type: 'string', enum: ['any'] }),
  filter('feedback_name', 'Only requests with feedback of this name.'),
  filter('feedback_category', 'Only requests with feedback of this category.'),
  filter('feedback_equals', 'Only requests with feedback of this value. Booleans count 0 and 1.', { type: 'number' }),
  filter('feedback_above', 'Only requests with feedback above this value.', { type: 'number' }),
  filter('feedback_below', 'Only requests with feedback below this value.', { type: 'number' }),
];

const usageShape = [
  {
    name: 'columns',
    in: 'query',
    schema: { type: 'array', items: { type: 'string', enum: exportColumnNames } },
    style: 'form',
    explode: false,
    description:
      'The columns, in this order, separated by commas. Default: all but `api_key_name` and `feedback`, which are read from other tables.',
  },
  {
    name: 'order',
    in: 'query',
    schema: { type: 'string', enum: usageOrders },
    description:
      'Sort order. Default: the oldest first. By cost, duration or tokens, the file has the latest 10,000 requests that match.',
  },
];

export const exportUsage: Operation = {
  operationId: 'exportUsage',
  summary: 'Export usage',
  description:
    'Exports the usage log of the account, oldest first by default. Requires a key with the scope `read`, or a session cookie. `cost_usd` is an exact decimal; in Parquet `cost_nano_usd` is an integer in nano-USD. In CSV, text that a spreadsheet would interpret as a formula is prefixed with an apostrophe. If the connection is interrupted, the file is incomplete.',
  tags: ['Usage'],
  parameters: [
    { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: ['csv', 'jsonl', 'parquet'] } },
    moment('from', 'Start of the range, inclusive.'),
    moment('to', 'End of the range, exclusive.'),
    ...usageFilters,
    ...usageShape,
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
    '400': failure('400', 'A parameter is not valid.'),
  },
};

export const exportAudit: Operation = {
  operationId: 'exportAudit',
  summary: 'Export the audit log',
  description:
    'Exports the audit log of the account, with actor and IP address, oldest first. Requires an owner or admin with a session cookie, or a key with the scope `manage`. In CSV, text that a spreadsheet would interpret as a formula is prefixed with an apostrophe, and `changes` is JSON. If the connection is interrupted, the file is incomplete.',
  tags: ['Accounts'],
  parameters: [
    { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: ['csv', 'jsonl'] } },
    moment('from', 'Start of the range, inclusive.'),
    moment('to', 'End of the range, exclusive.'),
    account,
  ],
  responses: {
    '200': { description: 'The file.', headers: requestId, content: { 'text/csv': file, 'application/jsonl': file } },
    ...refused,
    ...noAccount,
    '400': failure('400', 'The date or the timestamp is not valid.'),
  },
};

export const exportDataset: Operation = {
  operationId: 'exportDataset',
  summary: 'Export a dataset',
  description:
    'Exports the items of a dataset as JSON lines, in the order in which they were added. Requires a key with the scope `read`, or the session of a member with a role that may view datasets. If the connection is interrupted, the file is incomplete.',
  tags: ['Usage'],
  parameters: [
    { ...filter('id', 'The dataset: its UUID, or its GraphQL ID.'), required: true },
    filter('format', 'What a line contains. Default: `plain`.', { type: 'string', enum: [...datasetFormats] }),
    filter(
      'unreadable',
      'What to do with items that cannot be decrypted: `refuse` the export, or `omit` them. Default: `refuse`.',
      { type: 'string', enum: ['refuse', 'omit'] },
    ),
    account,
  ],
  responses: {
    '200': { description: 'The file.', headers: requestId, content: { 'application/jsonl': file } },
    ...refused,
    ...noAccount,
    '400': failure('400', 'A parameter is not valid.'),
    '409': failure('409', 'Some items cannot be decrypted. With `unreadable=omit`, the others are exported.'),
  },
};

export const exportAccount: Operation = {
  operationId: 'exportAccount',
  summary: 'Export the account',
  description:
    'Exports all data of the account except secrets, as JSON lines with a `type` each. Requires an owner with a session cookie, or a key with the scope `manage`. Works for a deleted account until it is erased. If the connection is interrupted, the file is incomplete.',
  tags: ['Accounts'],
  parameters: [account],
  responses: {
    '200': { description: 'The file.', headers: requestId, content: { 'application/jsonl': file } },
    ...refused,
    ...noAccount,
  },
};
