import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { AuditLog } from '../../services/audit/audit-log.ts';
import type { MembersService } from '../../services/members/members.service.ts';
import { Requires } from '../operation/access.ts';
import { toUser } from '../accounts/account.mapping.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { uuidOfAny } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import { toAuditEntry } from './audit.mapping.ts';
import { AuditActor, AuditEntry, AuditEntryConnection, AuditFilter } from './audit.types.ts';
import { loadApiKey } from '../keys/load-api-key.ts';

@Resolver(() => AuditEntry)
export class AuditResolver {
  readonly #audit: AuditLog;
  readonly #members: MembersService;

  constructor(audit: AuditLog, members: MembersService) {
    this.#audit = audit;
    this.#members = members;
  }

  @Requires('audit.read')
  @Query(() => AuditEntryConnection, {
    description: 'Actions in the account with their actor and origin, newest first. Entries cannot be changed.',
  })
  async auditLog(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => AuditFilter, { nullable: true, description: 'Filters the entries. Default: all entries.' })
    filter: AuditFilter | null,
    @Ctx() context: GraphqlContext,
  ): Promise<AuditEntryConnection> {
    const { accountId } = await context.caller();
    const { actor, action, target, since, until } = filter ?? {};
    const where = {
      actorId: actor ? uuidOfAny(actor) : undefined,
      action: action ?? undefined,
      targetId: target ? uuidOfAny(target) : undefined,
      since: since ?? undefined,
      until: until ?? undefined,
    };
    const request = pageRequest(page);
    const found = await this.#audit.list(accountId, where, toTimedPage(request));
    const users = await this.#members.users(found.rows.flatMap(({ actorUserId }) => actorUserId ?? []));
    return toConnection(found, request, (row) => ({ cursor: timeCursor(row), node: toAuditEntry(row, users) }));
  }

  @FieldResolver(() => AuditActor, { description: 'The actor who performed the action.' })
  async actor(@Root() entry: AuditEntry, @Ctx() context: GraphqlContext): Promise<AuditActor> {
    const { actorKind: kind, actorLabel: label, actorUser, actorApiKeyId } = entry;
    const apiKey = actorApiKeyId === null ? null : await loadApiKey(context, actorApiKeyId);
    return { kind, label, user: actorUser && toUser(actorUser), apiKey };
  }
}
