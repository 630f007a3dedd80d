import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { Profile } from '../../services/identity/profile.service.ts';
import { User, Viewer } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { toLinkedIdentity, toUserSession } from './identity.mapping.ts';
import { LinkedIdentity, UserSession } from './identity.types.ts';

/** One read per user object serves all of its fields. */
const profiles = new WeakMap<User, Promise<Profile>>();

const viewerOnly = 'Only visible to the user themselves: `forbidden` for another user.';

/** Fields that only the user themselves can read. */
@Resolver(() => User)
export class OwnUserResolver {
  @FieldResolver(() => Boolean, { description: `Whether the e-mail address is verified. ${viewerOnly}` })
  async emailVerified(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await profileOf(user, context)).emailVerified;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: `The new e-mail address, until it is verified. ${viewerOnly}`,
  })
  async pendingEmail(@Root() user: User, @Ctx() context: GraphqlContext): Promise<string | null> {
    return (await profileOf(user, context)).pendingEmail;
  }

  @FieldResolver(() => Boolean, {
    description: `Whether two-factor authentication with an authenticator app is enabled. ${viewerOnly}`,
  })
  async totpEnabled(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await profileOf(user, context)).totpEnabled;
  }

  @FieldResolver(() => Boolean, {
    description: `Whether the user has a password. A user who signs in through an identity provider may have none. ${viewerOnly}`,
  })
  async hasPassword(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await profileOf(user, context)).hasPassword;
  }

  @FieldResolver(() => [LinkedIdentity], { description: `Linked identities at identity providers. ${viewerOnly}` })
  async identities(@Root() user: User, @Ctx() context: GraphqlContext): Promise<LinkedIdentity[]> {
    const { identities } = await profileOf(user, context);
    return identities.map((each) => toLinkedIdentity(each, context.services.external.providers));
  }
}

@Resolver(() => Viewer)
export class OwnSessionsResolver {
  @FieldResolver(() => [UserSession], {
    description: 'The user’s sessions, most recently used first. Maximum 100. Empty for an API key.',
  })
  async sessions(@Root() { user }: Viewer, @Ctx() context: GraphqlContext): Promise<UserSession[]> {
    if (user === null) return [];
    const { userId, sessionId } = await context.requireSession();
    return (await context.services.sessions.list(userId)).map((row) => toUserSession(row, sessionId));
  }
}

async function profileOf(user: User, context: GraphqlContext): Promise<Profile> {
  const { userId } = await context.requireSession();
  if (user.id !== toGlobalId('User', userId)) throw new SluiceError('forbidden');
  const known = profiles.get(user) ?? context.services.profiles.profile(userId);
  profiles.set(user, known);
  return known;
}
