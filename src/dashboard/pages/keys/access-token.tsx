import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { selectedValuesOf, numberOf } from '../../data/form.ts';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Checkbox, FieldGroup, Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import { WarnBeforeClose } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import {
  AccessTokensDocument,
  CreateAccessTokenDocument,
  type CreateAccessTokenMutation,
  type KeyFragment,
} from '../../generated/graphql.ts';
import { ActiveTokens } from './active-tokens.tsx';

const lifetimes = [
  [300, '5 minutes'],
  [900, '15 minutes'],
  [3_600, '1 hour'],
] as const;
const DEFAULT_LIFETIME_SECONDS = 900;
const MAX_LISTED = 25;

/** Creates a token for browsers, which must not hold an API key. */
export function AccessToken({ apiKey }: { readonly apiKey: KeyFragment }): ReactNode {
  const [create, pending] = useMutation(CreateAccessTokenDocument);
  const [createdToken, setCreatedToken] = useState<CreateAccessTokenMutation['createAccessToken'] | null>(null);
  const tokens = useQuery(AccessTokensDocument, { apiKeyId: apiKey.id, first: MAX_LISTED }, { policy: 'network-only' });
  const [error, setError] = useState<Failure | null>(null);
  if (apiKey.revokedAt) return <p className="pt-2 text-soft">A revoked key cannot create tokens.</p>;
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await create({
      input: {
        apiKeyId: apiKey.id,
        scopes: selectedValuesOf(form, 'scopes', apiKey.scopes),
        expiresInSeconds: numberOf(form, 'life') ?? DEFAULT_LIFETIME_SECONDS,
      },
    });
    if (failure) setError(failure);
    else {
      setCreatedToken(data.createAccessToken);
      tokens.refetch();
    }
  };
  return (
    <div className="flex flex-col gap-3 pt-2">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(new FormData(event.currentTarget));
        }}
      >
        <p className="text-soft">
          Do not use API keys in a browser. A token has the limits and budget of this key and expires automatically. Let
          your server create one for each visitor with <code className="font-mono">createAccessToken</code>, or create
          one here to test.
        </p>
        {apiKey.scopes.length > 1 ? (
          <FieldGroup legend="Scopes">
            {apiKey.scopes.map((scope, index) => (
              <Checkbox key={scope} label={words(scope)} name="scopes" value={scope} defaultChecked={index === 0} />
            ))}
          </FieldGroup>
        ) : (
          <input type="hidden" name="scopes" value={apiKey.scopes[0]} />
        )}
        <Select label="Expires in" name="life" defaultValue={DEFAULT_LIFETIME_SECONDS}>
          {lifetimes.map(([seconds, label]) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </Select>
        {error ? <Failed failure={error} /> : null}
        {createdToken ? (
          <div className="flex flex-col gap-1">
            <WarnBeforeClose what="The token" />
            <CopyLine text={createdToken.token} label="Copy the token" />
            <p className="text-soft">
              Shown only once. Scopes: {createdToken.scopes.map((scope) => words(scope).toLowerCase()).join(', ')}.
              Expires <Time at={createdToken.expiresAt} />.
            </p>
          </div>
        ) : null}
        <div>
          <Button variant={createdToken ? 'plain' : 'primary'} type="submit" pending={pending}>
            Create token
          </Button>
        </div>
      </form>
      <ActiveTokens tokens={tokens} />
    </div>
  );
}
