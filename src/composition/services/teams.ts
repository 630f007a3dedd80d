import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { eraseAccounts } from '../../services/members/jobs.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { removeOldAudit } from '../../services/audit/jobs.ts';
import type { Mailer } from '../../mail/mail.ts';
import type { SignUpPolicy } from '../../services/accounts/sign-up-policy.ts';
import { Callers } from '../../services/authorization/callers.ts';
import type { SessionsService } from '../../services/sessions/sessions.service.ts';
import { SpendingApprovals } from '../../services/accounts/spending-approvals.ts';
import { SignInThrottle, type SharedAttempts } from '../../services/accounts/sign-in-throttle.ts';
import { AuditLog } from '../../services/audit/audit-log.ts';
import { AuditRetention } from '../../services/audit/audit-retention.ts';
import type { ConnectionCache } from '../../services/connections/account-change.ts';
import type { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';
import type { KeysService } from '../../services/keys/keys.service.ts';
import { AccountErasure, type EndRemoteWork } from '../../services/members/account-erasure.ts';
import { AccountExport, type DecryptedLines } from '../../services/members/account-export.ts';
import { AccountLifecycleService } from '../../services/members/account-lifecycle.service.ts';
import { EarlierAccess } from '../../services/members/earlier-access.ts';
import { InvitationsService } from '../../services/members/invitations.service.ts';
import { MemberRoles } from '../../services/authorization/member-roles.ts';
import { MembersService } from '../../services/members/members.service.ts';
import { watchAccounts } from '../../services/members/watch-accounts.ts';

/** Invitation mails of an account before the wait doubles with each further one. */
const FREE_INVITATIONS = 20;
/** The same per recipient, over all accounts. */
const FREE_TO_RECIPIENT = 3;

export interface TeamsOptions {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly sessions: SessionsService;
  readonly keys: MemoryKeyDirectory;
  readonly keysService: KeysService;
  /** Connections and routes of accounts. */
  readonly accounts: { readonly connections: ConnectionCache };
  readonly mailer: Mailer;
  readonly environment: {
    readonly SLUICE_SIGNUP: SignUpPolicy;
    readonly SLUICE_AUDIT_DAYS: number;
    readonly SLUICE_INVITATIONS: boolean;
    readonly SMTP_URL?: string | undefined;
  };
  /** Plan of new accounts. */
  readonly defaultPlan: () => string;
  /** Public origin of this server. */
  readonly publicUrl: () => string;
  readonly endRemoteWork: EndRemoteWork;
  /** Content that is stored encrypted, for the export of an account. */
  readonly decrypted: DecryptedLines;
  /** Where other processes count attempts, too. */
  readonly redis?: { readonly throttles: SharedAttempts | null };
  readonly log: Pick<Logger, 'warn'>;
}

/** Services for resolvers and routes. */
export interface TeamServices {
  readonly callers: Callers;
  readonly members: MembersService;
  readonly invitations: InvitationsService;
  readonly lifecycle: AccountLifecycleService;
  readonly audit: AuditLog;
  readonly approvals: SpendingApprovals;
}

export interface WiredTeams {
  readonly services: TeamServices;
  readonly accountExport: AccountExport;
  readonly earlierAccess: EarlierAccess;
  stop(): void;
}

/** Wires members, invitations, the account lifecycle and the audit log. Call it before the job queue starts. */
export function wireTeams(options: TeamsOptions): WiredTeams {
  const { database, jobs, sessions, keys, keysService, accounts, mailer, environment, defaultPlan, publicUrl, log } =
    options;
  const { SLUICE_SIGNUP: signUp, SLUICE_AUDIT_DAYS: auditDays } = environment;
  const roles = new MemberRoles(database);
  const shared = options.redis?.throttles ?? null;
  const throttle = new SignInThrottle(FREE_INVITATIONS, systemClock, shared, 'invitations');
  const services: TeamServices = {
    callers: new Callers({ keys, sessions, roles }),
    members: new MembersService({ database, sessions, roles }),
    invitations: new InvitationsService({
      database,
      mailer,
      sessions,
      throttle,
      recipientThrottle: new SignInThrottle(FREE_TO_RECIPIENT, systemClock, shared, 'recipient'),
      sendsMail: environment.SMTP_URL !== undefined,
      isOpen: environment.SLUICE_INVITATIONS,
      publicUrl,
    }),
    lifecycle: new AccountLifecycleService({ database, sessions, keys, mailer, signUp, defaultPlan }),
    audit: new AuditLog(database),
    approvals: new SpendingApprovals(database, keys),
  };
  eraseAccounts(jobs, new AccountErasure(database, options.endRemoteWork));
  removeOldAudit(jobs, new AuditRetention(database, auditDays));
  const watcher = {
    memberChanged: (accountId: string, userId: string): void => {
      roles.forget(accountId, userId);
      sessions.membershipChanged(userId, accountId);
    },
    accountChanged: (accountId: string, deleted: boolean): void => {
      keys.evictAccount(accountId);
      const { lifecycle } = services;
      (deleted ? lifecycle.closed(accountId) : lifecycle.reopened(accountId)).catch((err: unknown) =>
        log.warn({ err, accountId }, 'updating the keys of a deleted or restored account failed'),
      );
    },
  };
  const stop = watchAccounts(database.changes, watcher);
  return {
    services,
    accountExport: new AccountExport(database, options.decrypted),
    earlierAccess: new EarlierAccess({
      sessions,
      roles,
      keys: keysService,
      connectionCache: accounts.connections,
      defaultPlan,
    }),
    stop,
  };
}
