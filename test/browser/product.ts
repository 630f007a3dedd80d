import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startOidcIssuer, type OidcIssuer } from '../harness/oidc-issuer.ts';
import { newAccount, type TestAccount } from '../harness/shared-server.ts';

/** Aliases of the sandbox's chat model, for comparisons. */
export const lanes = Array.from({ length: 8 }, (_, index) => `lane-${index + 1}`);

export interface BrowserAccount extends TestAccount {
  /** A provider that accounts can connect. Tests set its responses. */
  readonly provider: FakeProvider;
  readonly issuer: OidcIssuer;
}

interface Surroundings {
  readonly provider: FakeProvider;
  readonly issuer: OidcIssuer;
}

/** One per worker, whose test files run one after the other. */
let surroundings: Promise<Surroundings> | undefined;

/** An account on the server that the browser tests of a worker share. */
export async function newBrowserAccount(): Promise<BrowserAccount> {
  surroundings ??= surround();
  const { provider, issuer } = await surroundings;
  provider.answerWith(completion());
  const env = {
    SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
    // Slow enough to act during a stream: such tests request responses that take minutes.
    SLUICE_SANDBOX_TOKENS_PER_SECOND: '200',
  };
  const account = await newAccount(env, { 'sluice.yaml': configurationWith(issuer) });
  return { ...account, provider, issuer };
}

async function surround(): Promise<Surroundings> {
  const [provider, issuer] = await Promise.all([startFakeProvider(), startOidcIssuer()]);
  return { provider, issuer };
}

function configurationWith({ url, clientId, clientSecret }: OidcIssuer): string {
  return `
routes: { everyones: { targets: [sandbox/chat] } }
aliases: { quick: sandbox/chat, ${lanes.map((name) => `${name}: sandbox/chat`).join(', ')} }
identityProviders:
  club: { name: The Club, issuer: "${url}", client_id: ${clientId}, client_secret: ${clientSecret}, allow_http: true }
`;
}
