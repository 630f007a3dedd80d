import type { ReactNode } from 'react';
import { textOf } from '../../data/form.ts';
import { FieldGroup, Input } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import type { ConnectionPartsFragment, ProviderPartsFragment } from '../../generated/graphql.ts';

/** The fields of a connection: what its provider takes. Secrets that are kept already are not shown, only replaced. */
export function ConnectionFields({
  known,
  connection,
}: {
  readonly known: ProviderPartsFragment | null;
  readonly connection: ConnectionPartsFragment | null;
}): ReactNode {
  const secretHint = connection?.credentialHint
    ? `It is ${connection.credentialHint}. Leave it empty to keep it; a change of address or settings needs it again.`
    : 'Kept sealed, and never shown again.';
  const needsAddress = known === null || (known.baseUrl === null && known.options.length === 0);
  return (
    <>
      <Input
        label="API key"
        name="apiKey"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required={known?.needsKey === true && connection === null}
        hint={secretHint}
      />
      {known && known.options.length > 0 ? (
        <FieldGroup legend="Settings">
          {known.options.map(({ name, isSecret, description }) => (
            <Input
              key={name}
              label={words(name)}
              name={`option-${name}`}
              type={isSecret ? 'password' : 'text'}
              autoComplete="off"
              spellCheck={false}
              defaultValue={isSecret ? undefined : connection?.options.find((each) => each.name === name)?.value}
              hint={
                isSecret && connection?.secretOptionNames.includes(name)
                  ? `${description} One is kept; empty keeps it.`
                  : description
              }
            />
          ))}
        </FieldGroup>
      ) : null}
      <Input
        label="Base URL"
        name="baseUrl"
        type="url"
        required={needsAddress}
        defaultValue={connection?.baseUrl ?? undefined}
        placeholder={known?.baseUrl ?? 'https://llm.example.com/v1'}
        hint={
          needsAddress
            ? 'With its version path. It must be on the public internet, or allowed by the operator.'
            : known.baseUrl === null
              ? 'Only for a proxy of your own. It is made of the settings, where empty.'
              : 'Only for a proxy or a region of your own. The provider’s own, where empty.'
        }
      />
      <Input
        label="Name"
        name="name"
        maxLength={100}
        defaultValue={connection?.name}
        placeholder={known?.name}
        hint="For people; the provider’s, where empty."
      />
    </>
  );
}

interface GivenOption {
  readonly name: string;
  readonly value: string;
}

export interface GivenConnection {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | null;
  readonly name: string | undefined;
  readonly options: GivenOption[];
  readonly secretOptions: GivenOption[];
}

export function givenOf(form: FormData, known: ProviderPartsFragment | null): GivenConnection {
  const filled = (isSecret: boolean): GivenOption[] =>
    (known?.options ?? [])
      .filter((each) => each.isSecret === isSecret)
      .map(({ name }) => ({ name, value: textOf(form, `option-${name}`) }))
      .filter(({ value }) => value !== '');
  return {
    apiKey: textOf(form, 'apiKey') || undefined,
    baseUrl: textOf(form, 'baseUrl') || null,
    name: textOf(form, 'name') || undefined,
    options: filled(false),
    secretOptions: filled(true),
  };
}
