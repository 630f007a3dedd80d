/**
 * Which suites of this lane run on one database, and why: a folder or a file of `test/services`.
 *
 * Both engines take the same SQL from the same driver. They differ in how statements of several callers meet (the
 * embedded one has one connection), in what is created beside rows (migrations, partitions, the queue's schema) and in how
 * other processes learn of changes. Suites about these run on both. That a service never waits for a second connection
 * inside a transaction, which would stop the embedded database, is shown by the API lane, whose servers stand on it, and by
 * this lane with `SLUICE_TEST_BACKEND=embedded`.
 */
export const oneDatabase: Readonly<Record<string, string>> = {
  'accounts/accounts.test.ts':
    'Users and sessions are rows of the ORM. The first owner, who is made under an advisory lock, is in a suite on both.',
  'accounts/session-exchange.test.ts':
    'A session is exchanged by one conditional update, which locks its row on either engine.',
  audit: 'Entries are written by the unit of work that makes the change, and read by index.',
  billing:
    'Sums are exact in the SQL of either engine. Callers at once wait for the row of their account, which takes several connections to show.',
  budgets:
    'The book is in memory; what it reads are sums of the roll-ups that `usage/usage-store.test.ts` shows on both.',
  cli: 'A command opens a database as the server does and calls the services that are shown here.',
  comparisons: 'Texts are cut by one expression in a SELECT.',
  graphql: 'It counts the statements of a request, which are the same on both.',
  identity: 'Tokens, codes and links are rows of the ORM, each used once by a conditional update or a row lock.',
  keys: 'Keys are rows of the ORM. What another process changes is looked for as in `database/change-watch.test.ts`.',
  mail: 'Mail is sent by a job like any other: see `jobs`.',
  members:
    'Memberships and invitations are rows of the ORM. Owners who leave at once wait for a row lock, which takes several connections to show.',
  plans: 'Changes wait for the row of their account; what falls due is applied by a job like any other.',
  responses: 'Rows are claimed with SKIP LOCKED, which takes several connections to show.',
  routes: 'Routes are rows of the ORM. Names of models are checked in memory before they are saved.',
  storage: 'Files are on disk; their rows are single statements.',
  'usage/usage-export.test.ts': 'It pages through the log by its index and writes files.',
  'usage/usage-report.test.ts': 'It sums the roll-ups that `usage/usage-store.test.ts` shows on both.',
  'usage/usage-service.test.ts':
    'It pages through the log by its index, over partitions that `usage/usage-retention.test.ts` shows on both.',
  videos: 'Videos go on by jobs like any other: see `jobs`. What a video holds is read by one SELECT.',
  webhooks: 'Deliveries are jobs like any other: see `jobs`.',
};
