import { Link2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../../data/graphql/hooks.ts';
import { Button } from '../../../design/button.tsx';
import { Section } from '../../../design/page.tsx';
import { Time } from '../../../design/time.tsx';
import { useToast } from '../../../design/toast.tsx';
import { UnlinkIdentityDocument, type SelfFragment, type SettingsQuery } from '../../../generated/graphql.ts';
import { LinkIdentity } from './link-identity.tsx';

/** The user's linked identities. Renders nothing when no identity provider is configured. */
export function Identities({
  user,
  providers,
}: {
  readonly user: SelfFragment;
  readonly providers: SettingsQuery['signInOptions']['providers'];
}): ReactNode {
  const [linking, setLinking] = useState<(typeof providers)[number] | null>(null);
  if (providers.length === 0 && user.identities.length === 0) return null;
  return (
    <Section title="Identity providers">
      <p className="text-soft">Linked providers sign you in without your password.</p>
      {user.identities.length > 0 ? (
        <ul className="flex flex-col">
          {user.identities.map((identity) => (
            <Row key={identity.id} identity={identity} />
          ))}
        </ul>
      ) : null}
      {user.emailVerified ? (
        <div className="flex flex-wrap gap-1">
          {providers.map((provider) => (
            <Button key={provider.id} icon={<Link2 size={16} aria-hidden />} onClick={() => setLinking(provider)}>
              Link {provider.name}
            </Button>
          ))}
        </div>
      ) : (
        <p className="text-soft">Confirm your e-mail address to link providers here.</p>
      )}
      {linking ? <LinkIdentity user={user} provider={linking} onClose={() => setLinking(null)} /> : null}
    </Section>
  );
}

function Row({ identity }: { readonly identity: SelfFragment['identities'][number] }): ReactNode {
  const { id, providerName, email, lastUsedAt } = identity;
  const [unlink] = useMutation(UnlinkIdentityDocument);
  const [pending, setPending] = useState(false);
  const toast = useToast();
  const submit = async (): Promise<void> => {
    setPending(true);
    const { failure } = await unlink({ id });
    setPending(false);
    if (failure) toast.failed(failure);
    else toast.done(`${providerName} unlinked.`);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 border-t border-line py-1.5">
      <div className="min-w-0 flex-1">
        <div className="font-strong wrap-anywhere">{providerName}</div>
        <div className="wrap-anywhere text-soft">
          {email ? `${email}, last used` : 'Last used'} <Time at={lastUsedAt} as="relative" />
        </div>
      </div>
      <Button pending={pending} onClick={() => void submit()} aria-label={`Unlink ${providerName}`}>
        Unlink
      </Button>
    </li>
  );
}
