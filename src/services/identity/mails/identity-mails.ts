import { z } from 'zod';
import type { Database } from '../../../database/database.ts';
import { LinkedIdentity, User } from '../../../database/entities/index.ts';
import type { JobKind, JobQueue } from '../../../jobs/job-queue.ts';
import { composeMail, type MailContent } from '../../../mail/mail-content.ts';
import type { Mailer } from '../../../mail/mail.ts';
import {
  describeResetEffects,
  existingAccountMail,
  noticeMail,
  notices,
  passwordResetMail,
  signUpMail,
  verificationMail,
  type Notice,
} from './mail-texts.ts';
import { issueMailToken } from './mail-tokens.ts';
import { prepareSignUpMail } from './sign-up-mail.ts';

/** With delays that double from 15 s up to an hour, about a day in total. */
const RETRIES = 31;

const jobSchema = z.discriminatedUnion('about', [
  z.strictObject({ about: z.literal('verify'), userId: z.uuid() }),
  z.strictObject({ about: z.literal('sign-up'), signUpId: z.uuid() }),
  z.strictObject({ about: z.literal('reset'), email: z.string().max(300) }),
  z.strictObject({ about: z.literal('notice'), notice: z.enum(notices), email: z.string().max(300) }),
]);
type IdentityMailJob = z.infer<typeof jobSchema>;

interface Log {
  warn(fields: object, message: string): void;
}

export interface IdentityMailsDependencies {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly mailer: Pick<Mailer, 'send'>;
  /** The public origin of this server. */
  readonly publicUrl: () => string;
  readonly log: Log;
}

/**
 * Messages about a user's identity, sent by durable jobs. A job contains no token: it is created with the message and stored only
 * as a hash. A request does the same work whether or not the user exists, so timing reveals nothing.
 */
export class IdentityMails {
  readonly #dependencies: IdentityMailsDependencies;
  readonly #kind: JobKind<IdentityMailJob>;

  /** Defines its jobs, so it must be constructed before the queue starts. */
  constructor(dependencies: IdentityMailsDependencies) {
    this.#dependencies = dependencies;
    this.#kind = dependencies.queue.define('identity-mail', jobSchema, (data) => this.#send(data), {
      timeoutSeconds: 90,
      retries: RETRIES,
      concurrency: 2,
    });
  }

  /** Sends a confirmation link to the user's pending address, or to their current one if it is unconfirmed. */
  verification(userId: string): Promise<void> {
    return this.#dependencies.queue.send(this.#kind, { about: 'verify', userId });
  }

  /** Sends a password reset link, if a user has this address. */
  reset(email: string): Promise<void> {
    return this.#dependencies.queue.send(this.#kind, { about: 'reset', email });
  }

  /** Sends the link that finishes a sign-up, or a note that the address already has a user. */
  signUp(signUpId: string): Promise<void> {
    return this.#dependencies.queue.send(this.#kind, { about: 'sign-up', signUpId });
  }

  /** As `verification`, but does not wait for the job to be stored; a failure is logged. */
  verificationSoon(userId: string): void {
    this.#soon({ about: 'verify', userId });
  }

  /** Notifies of a change, without waiting for the job to be stored. */
  notify(email: string, notice: Notice): void {
    this.#soon({ about: 'notice', notice, email });
  }

  #soon(data: IdentityMailJob): void {
    this.#dependencies.queue
      .send(this.#kind, data)
      .catch((err: unknown) => this.#dependencies.log.warn({ err, about: data.about }, 'mail job could not be stored'));
  }

  async #send(data: IdentityMailJob): Promise<void> {
    if (data.about === 'notice') await this.#post(data.email, noticeMail(data.notice, `${this.#origin}/settings`));
    else if (data.about === 'reset') await this.#sendReset(data.email);
    else if (data.about === 'sign-up') await this.#sendSignUp(data.signUpId);
    else await this.#sendVerification(data.userId);
  }

  async #sendReset(email: string): Promise<void> {
    const em = this.#dependencies.database.em();
    const user = await em.findOne(User, { email });
    const token = user === null ? null : await issueMailToken(em, user, 'reset', email);
    if (user === null || token === null) return;
    const linked = await em.find(LinkedIdentity, { user }, { orderBy: { createdAt: 'asc', id: 'asc' } });
    const names = linked.map((each) => (each.email === null ? each.provider : `${each.provider} (${each.email})`));
    const effects = describeResetEffects(user.emailVerifiedAt !== null, names);
    await this.#post(email, passwordResetMail(this.#link('/reset-password', token), effects));
  }

  async #sendSignUp(signUpId: string): Promise<void> {
    const mail = await prepareSignUpMail(this.#dependencies.database, signUpId);
    if (mail === null) return;
    const { to, token } = mail;
    const content =
      token === null
        ? existingAccountMail(`${this.#origin}/sign-in`, `${this.#origin}/forgot-password`)
        : signUpMail(this.#link('/confirm-sign-up', token));
    await this.#post(to, content);
  }

  async #sendVerification(userId: string): Promise<void> {
    const em = this.#dependencies.database.em();
    const user = await em.findOne(User, { id: userId });
    if (user === null) return;
    const email = user.pendingEmail ?? (user.emailVerifiedAt === null ? user.email : null);
    if (email === null) return;
    if (email !== user.email && (await em.count(User, { email })) > 0) {
      await this.#post(email, noticeMail('email-in-use', `${this.#origin}/settings`));
      return;
    }
    const token = await issueMailToken(em, user, 'verify', email);
    if (token !== null) await this.#post(email, verificationMail(this.#link('/verify-email', token)));
  }

  #post(to: string, content: MailContent): Promise<void> {
    return this.#dependencies.mailer.send(composeMail(to, content));
  }

  get #origin(): string {
    return this.#dependencies.publicUrl();
  }

  /** The token is in the fragment, which browsers never send: no proxy or server logs it. */
  #link(path: string, token: string): string {
    return `${this.#origin}${path}#token=${token}`;
  }
}
