import { Fingerprint } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { callRest, RestFailure } from '../../data/rest.ts';
import { isObject } from '../../data/json.ts';
import { Button } from '../../design/button.tsx';
import { FormAlert } from '../../design/form.tsx';
import type { SignInOptionsQuery } from '../../generated/graphql.ts';
import { signInErrorMessage } from './error-messages.ts';

type Provider = SignInOptionsQuery['signInOptions']['providers'][number];

/** A button for each identity provider. @param returnPath the path to open after signing in */
export function ProviderButtons({
  providers,
  returnPath,
}: {
  readonly providers: readonly Provider[];
  readonly returnPath: string | undefined;
}): ReactNode {
  const [errorMessage, setErrorMessage] = useState<string | null>(null);
  const go = async (startUrl: string): Promise<void> => {
    setErrorMessage(null);
    try {
      // In the body because the path of an invitation contains its token.
      const { response } = await callRest({ path: startUrl, body: { return: returnPath } });
      const body: unknown = await response.json();
      if (isObject(body) && typeof body.location === 'string') location.assign(body.location);
    } catch (error) {
      setErrorMessage(signInErrorMessage(error instanceof RestFailure ? error.failure.code : 'internal_error'));
    }
  };
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1.5 text-small text-soft">
        <span aria-hidden className="h-px flex-1 bg-line" />
        or
        <span aria-hidden className="h-px flex-1 bg-line" />
      </div>
      <FormAlert text={errorMessage} />
      <ul className="flex flex-col gap-1">
        {providers.map(({ id, name, startUrl }) => (
          <li key={id}>
            <Button
              icon={<Fingerprint size={16} aria-hidden />}
              onClick={() => void go(startUrl)}
              className="h-5! w-full"
            >
              Continue with {name}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
