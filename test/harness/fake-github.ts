import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';

export interface FakeGithub {
  readonly url: string;
  user: { readonly id: number; readonly login: string; readonly name: string | null };
  emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[];
  /** Whether PKCE held, of each code that was exchanged. */
  readonly challenges: readonly boolean[];
  close(): Promise<void>;
}

/** GitHub's part, as its documentation has it: a server of its own on loopback, since GitHub itself is elsewhere. */
export async function startFakeGithub(): Promise<FakeGithub> {
  const codes = new Map<string, string>();
  const tokens = new Set<string>();
  const challenges: boolean[] = [];
  const app = express();
  app.get('/login/oauth/authorize', ({ query }, response) => {
    const code = randomUUID();
    codes.set(code, String(query.code_challenge));
    const back = new URL(String(query.redirect_uri));
    back.searchParams.set('code', code);
    back.searchParams.set('state', String(query.state));
    response.redirect(back.href);
  });
  app.post('/login/oauth/access_token', express.urlencoded(), ({ body }, response) => {
    const verifier = createHash('sha256').update(String(body.code_verifier)).digest('base64url');
    const holds = codes.get(body.code) === verifier && body.client_secret === 'gh-secret';
    challenges.push(holds);
    codes.delete(body.code);
    const token = randomUUID();
    tokens.add(token);
    response.json(
      holds
        ? { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
        : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' },
    );
  });
  app.use('/api/v3', ({ headers }, response, next) => {
    if (tokens.has(headers.authorization?.replace(/^bearer /i, '') ?? '')) next();
    else response.status(401).json({ message: 'Bad credentials' });
  });
  app.get('/api/v3/user', (_request, response) => void response.json(fake.user));
  app.get('/api/v3/user/emails', (_request, response) => void response.json(fake.emails));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const fake: FakeGithub = {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    user: { id: 1, login: 'nobody', name: null },
    emails: [],
    challenges,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return fake;
}
