import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { LinkedIdentity, User } from '../../database/entities/index.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import { compose, type Letter } from '../../mail/letter.ts';
import type { Mailer } from '../../mail/mail.ts';
import {
  noticeLetter,
  notices,
  resetLetter,
  signUpKnownLetter,
  signUpLetter,
  verificationLetter,
  whatResetLeaves,
  type Notice,
} from './letters.ts';
import { issueMailToken } from './mail-tokens.ts';
import { prepareSignUpMail } from './pending-sign-ups.ts';

/** With the pauses doubling from 15 s to an hour, about a day in all. */
const RETRIES = 31;

const errand = z.discriminatedUnion('about', [
  z.strictObject({ about: z.literal('verify'), userId: z.uuid() }),
  z.strictObject({ about: z.literal('sign-up'), signUpId: z.uuid() }),
  z.strictObject({ about: z.literal('reset'), email: z.string().max(300) }),
  z.strictObject({ about: z.literal('notice'), notice: z.enum(notices), email: z.string().max(300) }),
]);
type Errand = z.infer<typeof errand>;

interface Log {
  warn(fields: object, message: string): void;
}

export interface IdentityMailsParts {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly mailer: Pick<Mailer, 'send'>;
  /** Where people reach this server: an origin. */
  readonly publicUrl: () => string;
  readonly log: Log;
}

/**
 * Messages about who somebody is, by durable jobs. A job holds no token: that is made when its message is, and stands
 * nowhere else. So to ask for a message is the same work whether there is such a user or not.
 */
export class IdentityMails {
  readonly #parts: IdentityMailsParts;
  readonly #kind: JobKind<Errand>;

  /** Defines its jobs: before the queue is started. */
  constructor(parts: IdentityMailsParts) {
    this.#parts = parts;
    this.#kind = parts.queue.define('identity-mail', errand, (data) => this.#send(data), {
      timeoutSeconds: 90,
      retries: RETRIES,
      concurrency: 2,
    });
  }

  /** Asks a user to confirm their address: the one that they want, where they are about to change it. */
  verification(userId: string): Promise<void> {
    return this.#parts.queue.send(this.#kind, { about: 'verify', userId });
  }

  /** A link to set a password, where there is a user with this address. */
  reset(email: string): Promise<void> {
    return this.#parts.queue.send(this.#kind, { about: 'reset', email });
  }

  /** What somebody gets who signed up: a link, or the word that they have a user already. */
  signUp(signUpId: string): Promise<void> {
    return this.#parts.queue.send(this.#kind, { about: 'sign-up', signUpId });
  }

  /** As `verification`, for what is done whether or not the job can be stored. */
  verificationSoon(userId: string): void {
    this.#soon({ about: 'verify', userId });
  }

  /** Tells of what was done. */
  notify(email: string, notice: Notice): void {
    this.#soon({ about: 'notice', notice, email });
  }

  #soon(data: Errand): void {
    this.#parts.queue
      .send(this.#kind, data)
      .catch((err: unknown) => this.#parts.log.warn({ err, about: data.about }, 'a message could not be stored'));
  }

  async #send(data: Errand): Promise<void> {
    if (data.about === 'notice') await this.#post(data.email, noticeLetter(data.notice, `${this.#origin}/settings`));
    else if (data.about === 'reset') await this.#sendReset(data.email);
    else if (data.about === 'sign-up') await this.#sendSignUp(data.signUpId);
    else await this.#sendVerification(data.userId);
  }

  async #sendReset(email: string): Promise<void> {
    const em = this.#parts.database.em();
    const user = await em.findOne(User, { email });
    const token = user === null ? null : await issueMailToken(em, user, 'reset', email);
    if (user === null || token === null) return;
    const linked = await em.find(LinkedIdentity, { user }, { orderBy: { createdAt: 'asc', id: 'asc' } });
    const names = linked.map((each) => (each.email === null ? each.provider : `${each.provider} (${each.email})`));
    const stays = whatResetLeaves(user.emailVerifiedAt !== null, names);
    await this.#post(email, resetLetter(this.#link('/reset-password', token), stays));
  }

  async #sendSignUp(signUpId: string): Promise<void> {
    const mail = await prepareSignUpMail(this.#parts.database, signUpId);
    if (mail === null) return;
    const { to, token } = mail;
    const letter =
      token === null
        ? signUpKnownLetter(`${this.#origin}/sign-in`, `${this.#origin}/forgot-password`)
        : signUpLetter(this.#link('/confirm-sign-up', token));
    await this.#post(to, letter);
  }

  async #sendVerification(userId: string): Promise<void> {
    const em = this.#parts.database.em();
    const user = await em.findOne(User, { id: userId });
    if (user === null) return;
    const email = user.pendingEmail ?? (user.emailVerifiedAt === null ? user.email : null);
    if (email === null) return;
    if (email !== user.email && (await em.count(User, { email })) > 0) {
      await this.#post(email, noticeLetter('email-in-use', `${this.#origin}/settings`));
      return;
    }
    const token = await issueMailToken(em, user, 'verify', email);
    if (token !== null) await this.#post(email, verificationLetter(this.#link('/verify-email', token)));
  }

  #post(to: string, letter: Letter): Promise<void> {
    return this.#parts.mailer.send(compose(to, letter));
  }

  get #origin(): string {
    return this.#parts.publicUrl();
  }

  /** The token is behind the hash: browsers send that to no server, so that it is in no log on the way. */
  #link(path: string, token: string): string {
    return `${this.#origin}${path}#token=${token}`;
  }
}
