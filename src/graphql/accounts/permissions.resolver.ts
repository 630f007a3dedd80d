import { Field, ObjectType, Query, Resolver } from 'type-graphql';
import { requirements } from '../../services/authorization/authorization.ts';
import { Requires } from '../operation/access.ts';
import { toRole } from './account.mapping.ts';
import { Role } from './account.types.ts';

@ObjectType({ description: 'A permission and the roles that have it.' })
export class Permission {
  @Field(() => String, { description: 'Permission name: `members.write`.' })
  action!: string;

  @Field(() => String, { description: 'Human-readable description.' })
  does!: string;

  @Field(() => [Role], { description: 'Roles that have the permission.' })
  roles!: Role[];

  @Field(() => String, {
    nullable: true,
    description:
      'The scope that an API key needs: `inference`, `read` or `manage`. Null if no API key has the permission.',
  })
  keyScope!: string | null;
}

@Resolver()
export class PermissionsResolver {
  @Requires('account.read')
  @Query(() => [Permission], {
    description: 'The permissions of each role. Identical for all accounts.',
  })
  permissions(): Permission[] {
    return Object.entries(requirements).map(([action, { description, roles, scope }]) => ({
      action,
      does: description,
      roles: roles.map(toRole),
      keyScope: scope,
    }));
  }
}
