import type { NewSession } from '../sessions/sessions.service.ts';

/** The session that a sign-in created. */
export interface SignedIn extends NewSession {
  readonly userId: string;
  /** A cookie by which the browser is recognized at the next sign-in. */
  readonly device?: string | undefined;
}
