import { parseArgs } from 'node:util';
import { SpendingApprovals, type RestrictedAccount } from '../services/accounts/spending-approvals.ts';
import { isUuid } from '../services/uuid.ts';
import { withDatabase } from './with-database.ts';

const PAGE = 500;

const usage = `Usage:
  sluice accounts pending [--json]   list accounts that wait for approval, with the addresses of their owners
  sluice accounts approve <id>       allow the account to use the provider credentials of this server;
                                     running servers apply it within a second

With SMTP_URL, an account is approved when an owner verifies the e-mail address. Without it, \`signup_spending: allow\` in
sluice.yaml approves every account that signs up.
`;

/** @returns the exit code */
export async function accountsCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  });
  const [action, id, ...more] = positionals;
  if (values.help || action === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  if (more.length > 0) return refuse(usage);
  if (action === 'pending' && id === undefined) return run((approvals) => pending(approvals, values.json));
  if (action !== 'approve' || id === undefined) return refuse(usage);
  if (!isUuid(id)) return refuse('An account ID is a UUID. `sluice accounts pending` lists them.\n');
  return run(async (approvals) => {
    await approvals.approve(id);
    return 'approved\n';
  });
}

function run(work: (approvals: SpendingApprovals) => Promise<string>): Promise<number> {
  return withDatabase(async (database) => {
    await database.migrate();
    // Running servers are notified through the database.
    process.stdout.write(await work(new SpendingApprovals(database, { evictAccount: () => undefined })));
    return 0;
  });
}

async function pending(approvals: SpendingApprovals, json: boolean): Promise<string> {
  const found: RestrictedAccount[] = [];
  for (;;) {
    const last = found.at(-1)?.account;
    const { rows, hasMore } = await approvals.list({ limit: PAGE, from: last });
    found.push(...rows);
    if (!hasMore) break;
  }
  if (json) return `${JSON.stringify(found.map(asJson), null, 2)}\n`;
  if (found.length === 0) return 'No accounts are waiting for approval.\n';
  return found
    .map(({ account, owners }) => {
      const made = account.createdAt.toISOString();
      return `${account.id}  ${made}  ${JSON.stringify(account.name)}  ${owners.join(', ')}\n`;
    })
    .join('');
}

function asJson({ account: { id, name, createdAt }, owners }: RestrictedAccount): object {
  return { id, name, created_at: createdAt.toISOString(), owners };
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}
