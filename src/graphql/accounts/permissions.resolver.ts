import { Field, ObjectType, Query, Resolver } from 'type-graphql';
import { requirements } from '../../services/accounts/authorization.ts';
import { Requires } from '../access.ts';
import { toRole } from './account.mapping.ts';
import { Role } from './account.types.ts';

@ObjectType({ description: 'One thing that can be done in an account, and who may do it.' })
export class Permission {
  @Field(() => String, { description: 'Its name: `members.write`.' })
  action!: string;

  @Field(() => String, { description: 'What it lets one do, for people.' })
  does!: string;

  @Field(() => [Role], { description: 'Which members may.' })
  roles!: Role[];

  @Field(() => String, {
    nullable: true,
    description: 'The scope that an API key needs for it: `inference`, `read` or `manage`; null where no key may.',
  })
  keyScope!: string | null;
}

@Resolver()
export class PermissionsResolver {
  @Requires('account.read')
  @Query(() => [Permission], {
    description: 'Who may do what in an account: the table of the documentation. The same in every account.',
  })
  permissions(): Permission[] {
    return Object.entries(requirements).map(([action, { does, roles, scope }]) => ({
      action,
      does,
      roles: roles.map(toRole),
      keyScope: scope,
    }));
  }
}
