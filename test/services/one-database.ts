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
  'master-keys':
    'A value is replaced by one conditional update, which is the same on either engine; each of many commands would open the embedded one anew.',
  alerts:
    'A state changes by one conditional statement, which takes several connections to show; notifications are sent by jobs like any other: see `jobs`.',
  'audit/audit-log.test.ts': 'Entries are written by the unit of work that makes the change, and read by index.',
  'billing/billable-usage.test.ts': 'Sums of the same slices are exact in the SQL of either engine.',
  'billing/failed-refunds.test.ts': 'Reads and one conditional update follow each other in a given order.',
  'billing/invoice-closing.test.ts':
    'Callers at once wait for the row of their account, which takes several connections to show. Sums are exact in the SQL of either engine.',
  'billing/invoice-issuing.test.ts': 'Invoices are mailed by a job like any other: see `jobs`.',
  'billing/ledger.test.ts': 'An entry is booked once by a unique index, which is the same on either engine.',
  'billing/payments/stripe-withdrawals.test.ts':
    'Events about one payment wait for its row, which takes several connections to show.',
  'billing/payments/stripe.test.ts':
    'Events and customers are stored once by a unique index; what follows is done by jobs like any other: see `jobs`.',
  'billing/settlement.test.ts':
    'Callers at once wait for the row of their account, which takes several connections to show.',
  'billing/upcoming-invoice.test.ts':
    'It reads what the closing of an invoice would sum, in statements of one connection.',
  'batches/batch-leases.test.ts':
    'Statements of one lease follow each other; the row that they lock is the same on either engine.',
  'batches/erased-account.test.ts':
    'Batches are found by one SELECT; erasing deletes by account, in statements that are the same on either engine.',
  'batches/batch-watcher.test.ts':
    'Changes are announced in memory, and no notification of a database is used; rows are read by one SELECT.',
  'budgets/allowances.test.ts': 'The allowance is in memory; what it reads are a balance and sums of the roll-ups.',
  'budgets/budget-alerts.test.ts':
    'An alert is stored once by a unique index; it is sent by a job like any other: see `jobs`.',
  'budgets/budget-cache.test.ts':
    'The budgets are in memory; what they read are sums of the roll-ups that `usage/usage-store.test.ts` shows on both.',
  'accounts/content-logging.test.ts': 'It reads and writes one row by its key.',
  'content-log':
    'Segments are files; their rows are inserted by one statement, and read and changed by account, in SQL that is the same on either engine.',
  datasets:
    'Changes of an account wait for its row, which takes several connections to show; items are read by index, in SQL that is the same on either engine.',
  'chat-completions':
    'Each call is one statement; what is pending is in memory. That jsonb and times are read alike is shown by the API lane.',
  cli: 'A command opens a database as the server does and calls the services that are shown here.',
  'comparisons/comparison-end.test.ts': 'The end of a comparison is derived from its rows, and stored by one update.',
  'comparisons/comparison-rows.test.ts': 'Texts are cut by one expression in a SELECT.',
  graphql: 'It counts the statements of a request, which are the same on both.',
  conversations: 'Items wait for the row of their conversation, which takes several connections to show.',
  files: 'Uploads at once wait for the row of their account, which takes several connections to show.',
  'database/shardable.test.ts': 'It reads what the migrations made, which `database/migrations.test.ts` shows on both.',
  'identity/accounts.test.ts':
    'Users and sessions are rows of the ORM. The first owner, who is made under an advisory lock, is in a suite on both.',
  'identity/link-tickets.test.ts': 'A ticket is sealed; that it was used is a row with a unique index.',
  'identity/linked-users.test.ts': 'A user is created with their identity in one transaction of the ORM.',
  'identity/mail-tokens.test.ts': 'Tokens are rows of the ORM, each used once by a conditional update.',
  'identity/password-reset.test.ts': 'It shows that no statement is sent.',
  'identity/second-factor.test.ts':
    'Codes that come at once wait for the row of their user, which takes several connections to show.',
  'keys/expiry-warnings.test.ts': 'Warnings are sent by a job like any other: see `jobs`.',
  'keys/key-models.test.ts': 'Names of models are checked in memory before they are saved.',
  'keys/keys.test.ts':
    'Keys that are made at once wait for the row of their account, which takes several connections to show. What another process changes is looked for as in `database/change-watch.test.ts`.',
  'keys/rotation.test.ts': 'Rotations at once wait for the row of their key, which takes several connections to show.',
  mail: 'Mail is sent by a job like any other: see `jobs`.',
  'members/account-lifecycle.test.ts':
    'Accounts that are made at once wait for the row of their user, which takes several connections to show. Erasing deletes by account, in statements that are the same on either engine.',
  'members/earlier-access.test.ts': 'Keys, members and invitations are rows of the ORM, removed in one transaction.',
  'members/invitation-mail.test.ts':
    'Mails are counted in rows of the ORM, and sent by a job like any other: see `jobs`.',
  'members/members.test.ts': 'Owners who leave at once wait for a row lock, which takes several connections to show.',
  plans: 'Changes wait for the row of their account; what falls due is applied by a job like any other.',
  'provider-objects': 'Rows are inserted and found by one statement each; what is pending is in memory.',
  'responses/jobs.test.ts': 'Rows are claimed with SKIP LOCKED, which takes several connections to show.',
  'responses/responses-service.test.ts': 'A response is stored by one statement, and read by its id and by index.',
  'responses/stored-items.test.ts': 'A conversation is read by one recursive SELECT.',
  'responses/unstored-responses.test.ts':
    'What waits is in memory; it is written by statements that follow each other.',
  'responses/watch-response.test.ts':
    'Events are rows that are read by their number; what another process stores is looked for on a timer.',
  routes: 'Routes are rows of the ORM. Names of models are checked in memory before they are saved.',
  'sessions/session-exchange.test.ts':
    'A session is exchanged by one conditional update, which locks its row on either engine.',
  storage: 'Files are on disk; their rows are single statements.',
  'usage/performance.test.ts':
    'It sums attempts that `usage/usage-store.test.ts` stores on both, by GROUPING SETS, which are the same on either engine.',
  'usage/sorted-usage.test.ts': 'It orders rows by numbers, which either engine does alike.',
  'usage/usage-export.test.ts': 'It pages through the log by its index and writes files.',
  'usage/usage-report.test.ts': 'It sums the roll-ups that `usage/usage-store.test.ts` shows on both.',
  'usage/speed-and-savings.test.ts': 'It sums the roll-ups that `usage/usage-store.test.ts` shows on both.',
  'usage/usage-service.test.ts':
    'It pages through the log by its index, over partitions that `usage/usage-retention.test.ts` shows on both.',
  videos: 'Videos go on by jobs like any other: see `jobs`. What a video holds is read by one SELECT.',
  webhooks: 'Deliveries are jobs like any other: see `jobs`.',
};
