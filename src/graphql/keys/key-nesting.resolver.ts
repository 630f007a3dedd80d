import { Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { toUser } from '../accounts/account.mapping.ts';
import { User } from '../accounts/account.types.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { ApiKey, ApiKeyConnection } from './api-key.types.ts';

/** Nested fields of keys. Each field is read for all keys of a page in one batch. */
@Resolver(() => ApiKey)
export class KeyNestingResolver {
  @Requires('keys.read')
  @FieldResolver(() => User, {
    nullable: true,
    description: 'The member who created it. Null if no member did, or the creator is no longer a member.',
  })
  async createdBy(@Root() { createdById }: ApiKey, @Ctx() context: GraphqlContext): Promise<User | null> {
    if (createdById === null) return null;
    const user = await (await context.loaders()).member(createdById);
    return user && toUser(user);
  }
}

@Resolver(() => ApiKeyConnection)
export class KeyCountResolver {
  @FieldResolver(() => Int, { description: 'Total number of items over all pages.' })
  totalCount(@Root() { count }: ApiKeyConnection): Promise<number> {
    return count();
  }
}
