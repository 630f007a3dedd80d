import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { Profile } from '../../services/identity/profile.service.ts';
import { User, Viewer } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { toLinkedIdentity, toUserSession } from './identity.mapping.ts';
import { LinkedIdentity, UserSession } from './identity.types.ts';

/** Of each user object, read once for all of its fields. */
const profiles = new WeakMap<User, Promise<Profile>>();

const own = 'Of the viewer alone: `forbidden` for another user.';

/** What users see of themselves, and of nobody else. */
@Resolver(() => User)
export class OwnUserResolver {
  @FieldResolver(() => Boolean, { description: `Whether the address is proved to be theirs. ${own}` })
  async emailVerified(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await profileOf(user, context)).emailVerified;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: `The address that they change to, until it is verified. ${own}`,
  })
  async pendingEmail(@Root() user: User, @Ctx() context: GraphqlContext): Promise<string | null> {
    return (await profileOf(user, context)).pendingEmail;
  }

  @FieldResolver(() => Boolean, { description: `Whether signing in asks for the code of an authenticator app. ${own}` })
  async totpEnabled(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await profileOf(user, context)).totpEnabled;
  }

  @FieldResolver(() => Boolean, {
    description: `Whether they have a password; who signs in by an identity provider may have none. ${own}`,
  })
  async hasPassword(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await profileOf(user, context)).hasPassword;
  }

  @FieldResolver(() => [LinkedIdentity], { description: `Who they are at identity providers. ${own}` })
  async identities(@Root() user: User, @Ctx() context: GraphqlContext): Promise<LinkedIdentity[]> {
    const { identities } = await profileOf(user, context);
    return identities.map((each) => toLinkedIdentity(each, context.services.external.providers));
  }
}

@Resolver(() => Viewer)
export class OwnSessionsResolver {
  @FieldResolver(() => [UserSession], {
    description: 'Where the viewer is signed in, the last seen first: up to 100. Empty for an API key.',
  })
  async sessions(@Root() { user }: Viewer, @Ctx() context: GraphqlContext): Promise<UserSession[]> {
    if (user === null) return [];
    const { userId, sessionId } = await context.signedIn();
    return (await context.services.sessions.list(userId)).map((row) => toUserSession(row, sessionId));
  }
}

async function profileOf(user: User, context: GraphqlContext): Promise<Profile> {
  const { userId } = await context.signedIn();
  if (user.id !== toGlobalId('User', userId)) throw new SluiceError('forbidden');
  const known = profiles.get(user) ?? context.services.profiles.profile(userId);
  profiles.set(user, known);
  return known;
}
