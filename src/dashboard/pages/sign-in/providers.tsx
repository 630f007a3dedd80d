import { Fingerprint } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../design/button.tsx';
import type { SignInOptionsQuery } from '../../generated/graphql.ts';

type Provider = SignInOptionsQuery['signInOptions']['providers'][number];

/** The other ways in, each a button; nothing where there is none. */
export function ProviderButtons({
  providers,
  next,
}: {
  readonly providers: readonly Provider[];
  readonly next: string | undefined;
}): ReactNode {
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1.5 text-small text-soft">
        <span aria-hidden className="h-px flex-1 bg-line" />
        or
        <span aria-hidden className="h-px flex-1 bg-line" />
      </div>
      <ul className="flex flex-col gap-1">
        {providers.map(({ id, name, startUrl }) => (
          <li key={id}>
            <a
              href={next ? `${startUrl}?return=${encodeURIComponent(next)}` : startUrl}
              className={`${buttonClass('plain')} h-5! w-full`}
            >
              <Fingerprint size={16} aria-hidden />
              Continue with {name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
