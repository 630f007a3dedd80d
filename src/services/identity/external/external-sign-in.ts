import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { actAs, userActor } from '../../../database/audit/audit-context.ts';
import type { Database } from '../../../database/database.ts';
import { User } from '../../../database/entities/index.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { SignInThrottles } from '../../accounts/sign-in-throttle.ts';
import type { SignedIn } from '../signed-in.ts';
import { networkOf } from '../../client-request/network-of.ts';
import type { SessionIdentity, SessionOrigin, SessionsService } from '../../sessions/sessions.service.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import type { CookieSeal } from '../cookie-seal.ts';
import type { SecondFactor } from '../two-factor/second-factor.ts';
import { spend } from '../spent-tokens.ts';
import type { Challenge, ExternalIdentity, IdentityProvider, IdentityProviderSettings } from './identity-provider.ts';
import type { LinkProof, LinkTickets } from './link-tickets.ts';
import type { LinkedUsers } from './linked-users.ts';
import type { IdentityProviders } from './identity-providers.ts';
import { returnPath } from './return-path.ts';

const MINUTE_MS = 60_000;
/** How long a user may take at the provider, including two-factor authentication. */
export const FLOW_LIFETIME_MS = 10 * MINUTE_MS;

const flowSchema = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  /** The signed-in user who links another identity; null for a sign-in. */
  linkTo: z.uuid().nullable(),
});

const pendingSchema = z.object({
  provider: z.string(),
  userId: z.uuid(),
  isLinked: z.boolean(),
  identity: z.object({
    issuer: z.string(),
    subject: z.string(),
    email: z.string().nullable(),
    emailVerified: z.boolean(),
    name: z.string().nullable(),
  }),
});

export interface ExternalSignInDependencies {
  readonly database: Database;
  readonly sessions: SessionsService;
  readonly secondFactor: Pick<SecondFactor, 'check'>;
  readonly throttles: SignInThrottles;
  readonly providers: IdentityProviders;
  readonly users: LinkedUsers;
  readonly tickets: LinkTickets;
  readonly seal: CookieSeal;
  /** The public origin of this server. */
  readonly publicUrl: () => string;
}

/** The result of a sign-in at a provider. */
export type Outcome =
  | { readonly kind: 'signed-in'; readonly session: SignedIn; readonly returnTo: string }
  | { readonly kind: 'linked'; readonly returnTo: string }
  /** The code of the authenticator app is still required. The cookie is for `complete`. */
  | { readonly kind: 'pending'; readonly cookie: string; readonly returnTo: string }
  | { readonly kind: 'failed'; readonly error: SluiceError; readonly returnTo: string | null };

/**
 * Signs users in at identity providers. State that a browser carries between two steps is encrypted, short-lived and
 * single-use.
 */
export class ExternalSignIn {
  readonly #dependencies: ExternalSignInDependencies;

  constructor(dependencies: ExternalSignInDependencies) {
    this.#dependencies = dependencies;
  }

  get providers(): readonly Pick<IdentityProviderSettings, 'id' | 'name'>[] {
    return this.#dependencies.providers.list();
  }

  /**
   * Allows a signed-in user to link another identity.
   * @returns a ticket, for `start`
   * @throws SluiceError not_found, and as `LinkTickets.issue`
   */
  async allowLinking(
    linker: Pick<SessionIdentity, 'userId' | 'sessionId'>,
    providerId: string,
    proof: LinkProof,
  ): Promise<string> {
    this.#dependencies.providers.settings(providerId);
    return this.#dependencies.tickets.issue(linker, providerId, proof);
  }

  /**
   * @param returnTo where the browser is redirected afterwards
   * @param linking the signed-in user who links another identity, with their ticket; null for a sign-in
   * @returns the redirect URL, and the cookie that the browser returns with
   * @throws SluiceError not_found | sign_in_expired | identity_provider_failed | database_unavailable
   */
  async start(
    providerId: string,
    returnTo: unknown,
    linking: (Pick<SessionIdentity, 'userId' | 'sessionId'> & { readonly ticket: string }) | null,
  ): Promise<{ location: URL; cookie: string }> {
    const provider = await this.#dependencies.providers.find(providerId);
    if (linking !== null) await this.#dependencies.tickets.take(linking, providerId, linking.ticket);
    const challenge: Challenge = {
      redirectUri: this.#redirectUri(providerId),
      state: random(),
      nonce: random(),
      verifier: random(),
    };
    const location = await provider.begin(challenge);
    const { state, nonce, verifier } = challenge;
    const linkTo = linking?.userId ?? null;
    const flow: z.infer<typeof flowSchema> = {
      provider: providerId,
      state,
      nonce,
      verifier,
      returnTo: returnPath(returnTo),
      linkTo,
    };
    return { location, cookie: this.#dependencies.seal.seal('flow', flow, FLOW_LIFETIME_MS) };
  }

  /**
   * @param query the parameters of the provider's redirect
   * @param cookie of `start`
   * @param signedIn the user that the browser is signed in as; null for none
   */
  async finish(
    providerId: string,
    query: string,
    cookie: string | null,
    signedIn: Pick<SessionIdentity, 'userId' | 'email'> | null,
    origin: SessionOrigin,
  ): Promise<Outcome> {
    const opened = this.#dependencies.seal.open('flow', cookie, flowSchema);
    const flow = opened?.value ?? null;
    try {
      if (opened === null || flow === null || flow.provider !== providerId) throw new SluiceError('sign_in_expired');
      if (!isSame(new URLSearchParams(query).get('state') ?? '', flow.state)) throw new SluiceError('sign_in_expired');
      const provider = await this.#dependencies.providers.find(providerId);
      if (!(await spend(this.#dependencies.database, opened.id, opened.expiresAt)))
        throw new SluiceError('sign_in_expired');
      const address = `external ${networkOf(origin.address)}`;
      await this.#dependencies.throttles.addresses.attempt(address);
      const redirectUri = this.#redirectUri(providerId);
      const identity = await provider.finish({ ...flow, redirectUri }, new URL(`${redirectUri}${query}`));
      this.#dependencies.throttles.addresses.undoAttempt(address);
      if (flow.linkTo === null) return await this.#signIn(provider, identity, flow.returnTo, origin);
      // The user who started the flow must still be signed in: another user's session must not get this identity.
      if (signedIn?.userId !== flow.linkTo) throw new SluiceError('sign_in_expired');
      actAs(userActor(signedIn.userId, signedIn.email));
      await mapDatabaseErrors(() => this.#dependencies.users.link(signedIn.userId, identity, provider.settings));
      return { kind: 'linked', returnTo: flow.returnTo };
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      return { kind: 'failed', error, returnTo: flow?.linkTo ? flow.returnTo : null };
    }
  }

  /**
   * The second half of a sign-in of who has an authenticator app.
   * @param cookie of a `pending` outcome
   * @throws SluiceError sign_in_expired | totp_required | invalid_totp | too_many_attempts | identity_taken
   */
  complete(cookie: string | null, totp: string | null, origin: SessionOrigin): Promise<SignedIn> {
    return mapDatabaseErrors(async () => {
      const { database, seal, secondFactor, providers, users } = this.#dependencies;
      const opened = seal.open('pending', cookie, pendingSchema);
      if (opened === null) throw new SluiceError('sign_in_expired');
      const { userId, identity, isLinked, provider } = opened.value;
      const user = await database.em().findOne(User, { id: userId });
      if (user === null) throw new SluiceError('sign_in_expired');
      // The identity was unlinked meanwhile: it grants no access any more.
      if (isLinked && (await users.ownerOf(identity))?.id !== userId) throw new SluiceError('sign_in_expired');
      await secondFactor.check(user, totp);
      if (!(await spend(database, opened.id, opened.expiresAt))) throw new SluiceError('sign_in_expired');
      actAs(userActor(userId, user.email));
      if (!isLinked) await users.link(userId, identity, (await providers.find(provider)).settings);
      return this.#openSession(user, origin);
    });
  }

  #signIn(
    { settings }: IdentityProvider,
    identity: ExternalIdentity,
    returnTo: string,
    origin: SessionOrigin,
  ): Promise<Outcome> {
    return mapDatabaseErrors(async () => {
      const { users, seal } = this.#dependencies;
      const { user, isLinked, hasJoined } = await users.resolveUser(identity, settings);
      if (user.totpSecret !== null) {
        const pending: z.infer<typeof pendingSchema> = { provider: settings.id, userId: user.id, isLinked, identity };
        return { kind: 'pending', cookie: seal.seal('pending', pending, FLOW_LIFETIME_MS), returnTo };
      }
      actAs(userActor(user.id, user.email));
      if (!isLinked) await users.link(user.id, identity, settings);
      const session = await this.#openSession(user, origin);
      // An invitation that they followed is used by now, and its page would report that.
      return { kind: 'signed-in', session, returnTo: hasJoined ? '/' : returnTo };
    });
  }

  async #openSession({ id }: User, origin: SessionOrigin): Promise<SignedIn> {
    const em = this.#dependencies.database.em();
    const session = this.#dependencies.sessions.build(em, await em.findOneOrFail(User, { id }), origin);
    await em.flush();
    return { ...session, userId: id };
  }

  #redirectUri(providerId: string): string {
    return `${this.#dependencies.publicUrl()}/auth/${providerId}/callback`;
  }
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}

/** 256 bits, as RFC 7636 recommends for a verifier. */
function random(): string {
  return randomBytes(32).toString('base64url');
}
