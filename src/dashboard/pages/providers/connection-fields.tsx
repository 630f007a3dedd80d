import type { ReactNode } from 'react';
import { textOf } from '../../data/form.ts';
import { FieldGroup, Input } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import type { ConnectionPartsFragment, ProviderPartsFragment } from '../../generated/graphql.ts';

/** The fields of a connection, which depend on the provider. Stored secrets are not shown. They can only be replaced. */
export function ConnectionFields({
  known,
  connection,
}: {
  readonly known: ProviderPartsFragment | null;
  readonly connection: ConnectionPartsFragment | null;
}): ReactNode {
  const secretHint = connection?.credentialHint
    ? `Current key: ${connection.credentialHint}. Leave empty to keep it. Enter it again to change the base URL or settings.`
    : 'Stored encrypted and never shown again.';
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
                  ? `${description} Leave empty to keep the stored value.`
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
            ? 'Include the version path. The server must be on the public internet or allowed by the operator.'
            : known.baseUrl === null
              ? 'Only for your own proxy. Leave empty to derive it from the settings.'
              : 'Only for your own proxy or a region. Leave empty for the provider’s default.'
        }
      />
      <Input
        label="Name"
        name="name"
        maxLength={100}
        defaultValue={connection?.name}
        placeholder={known?.name}
        hint="Display name. Leave empty for the provider’s name."
      />
    </>
  );
}

interface OptionValue {
  readonly name: string;
  readonly value: string;
}

export interface ConnectionValues {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | null;
  readonly name: string | undefined;
  readonly options: OptionValue[];
  readonly secretOptions: OptionValue[];
}

export function connectionInput(form: FormData, known: ProviderPartsFragment | null): ConnectionValues {
  const filled = (isSecret: boolean): OptionValue[] =>
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
