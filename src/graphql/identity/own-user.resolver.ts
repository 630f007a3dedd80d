import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { SessionsService } from '../../services/sessions/sessions.service.ts';
import type { ExternalSignIn } from '../../services/identity/external/external-sign-in.ts';
import type { Profile, ProfileService } from '../../services/identity/profile.service.ts';
import { User, Viewer } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { toLinkedIdentity, toUserSession } from './identity.mapping.ts';
import { LinkedIdentity, UserSession } from './identity.types.ts';

const viewerOnly = 'Only visible to the user themselves: `forbidden` for another user.';

/** Fields that only the user themselves can read. */
@Resolver(() => User)
export class OwnUserResolver {
  /** One read per user object serves all of its fields. */
  readonly #loaded = new WeakMap<User, Promise<Profile>>();
  readonly #external: ExternalSignIn;
  readonly #profiles: Pick<ProfileService, 'profile'>;

  constructor(external: ExternalSignIn, profiles: Pick<ProfileService, 'profile'>) {
    this.#external = external;
    this.#profiles = profiles;
  }

  @FieldResolver(() => Boolean, { description: `Whether the e-mail address is verified. ${viewerOnly}` })
  async emailVerified(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await this.#profileOf(user, context)).emailVerified;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: `The new e-mail address, until it is verified. ${viewerOnly}`,
  })
  async pendingEmail(@Root() user: User, @Ctx() context: GraphqlContext): Promise<string | null> {
    return (await this.#profileOf(user, context)).pendingEmail;
  }

  @FieldResolver(() => Boolean, {
    description: `Whether two-factor authentication with an authenticator app is enabled. ${viewerOnly}`,
  })
  async totpEnabled(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await this.#profileOf(user, context)).totpEnabled;
  }

  @FieldResolver(() => Boolean, {
    description: `Whether the user has a password. A user who signs in through an identity provider may have none. ${viewerOnly}`,
  })
  async hasPassword(@Root() user: User, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await this.#profileOf(user, context)).hasPassword;
  }

  @FieldResolver(() => [LinkedIdentity], { description: `Linked identities at identity providers. ${viewerOnly}` })
  async identities(@Root() user: User, @Ctx() context: GraphqlContext): Promise<LinkedIdentity[]> {
    const { identities } = await this.#profileOf(user, context);
    return identities.map((each) => toLinkedIdentity(each, this.#external.providers));
  }

  async #profileOf(user: User, context: GraphqlContext): Promise<Profile> {
    const { userId } = await context.requireSession();
    if (user.id !== toGlobalId('User', userId)) throw new SluiceError('forbidden');
    const known = this.#loaded.get(user) ?? this.#profiles.profile(userId);
    this.#loaded.set(user, known);
    return known;
  }
}

@Resolver(() => Viewer)
export class OwnSessionsResolver {
  readonly #sessions: SessionsService;

  constructor(sessions: SessionsService) {
    this.#sessions = sessions;
  }

  @FieldResolver(() => [UserSession], {
    description: 'The user’s sessions, most recently used first. Maximum 100. Empty for an API key.',
  })
  async sessions(@Root() { user }: Viewer, @Ctx() context: GraphqlContext): Promise<UserSession[]> {
    if (user === null) return [];
    const { userId, sessionId } = await context.requireSession();
    return (await this.#sessions.list(userId)).map((row) => toUserSession(row, sessionId));
  }
}
