import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { chosenOf, numberOf } from '../../data/form.ts';
import { useChange, useRead } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Checkbox, FieldGroup, Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import { ShownOnce } from '../../design/overlay.tsx';
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
  const [create, pending] = useChange(CreateAccessTokenDocument);
  const [made, setMade] = useState<CreateAccessTokenMutation['createAccessToken'] | null>(null);
  const tokens = useRead(AccessTokensDocument, { apiKeyId: apiKey.id, first: MAX_LISTED }, { policy: 'network-only' });
  const [fault, setFault] = useState<Failure | null>(null);
  if (apiKey.revokedAt) return <p className="pt-2 text-soft">A revoked key cannot create tokens.</p>;
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const { data, failure } = await create({
      input: {
        apiKeyId: apiKey.id,
        scopes: chosenOf(form, 'scopes', apiKey.scopes),
        expiresInSeconds: numberOf(form, 'life') ?? DEFAULT_LIFETIME_SECONDS,
      },
    });
    if (failure) setFault(failure);
    else {
      setMade(data.createAccessToken);
      tokens.again();
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
        {fault ? <Failed failure={fault} /> : null}
        {made ? (
          <div className="flex flex-col gap-1">
            <ShownOnce what="The token" />
            <CopyLine text={made.token} label="Copy the token" />
            <p className="text-soft">
              Shown only once. Scopes: {made.scopes.map((scope) => words(scope).toLowerCase()).join(', ')}. Expires{' '}
              <Time at={made.expiresAt} />.
            </p>
          </div>
        ) : null}
        <div>
          <Button look={made ? 'plain' : 'primary'} type="submit" pending={pending}>
            Create token
          </Button>
        </div>
      </form>
      <ActiveTokens tokens={tokens} />
    </div>
  );
}
