import type { ReactNode } from 'react';
import { textOf } from '../../data/form.ts';
import { FieldGroup, Input, Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import type { ConnectionPartsFragment, ProviderPartsFragment } from '../../generated/graphql.ts';
import { retentionText, trainingText } from '../models/data-policy.tsx';

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
      <PolicyFields known={known} connection={connection} />
    </>
  );
}

/** What the account states of its connection, for example by a contract with the provider. */
function PolicyFields({
  known,
  connection,
}: {
  readonly known: ProviderPartsFragment | null;
  readonly connection: ConnectionPartsFragment | null;
}): ReactNode {
  const trains = connection?.trainsOnData;
  const documented = (text: string): string | undefined =>
    text === 'Unknown' ? undefined : `The provider documents for its own servers: ${text.toLowerCase()}.`;
  return (
    <FieldGroup legend="Region and data policy" hint="Shown in the catalogue. State what your contract says.">
      <Input
        label="Region"
        name="region"
        autoComplete="off"
        spellCheck={false}
        maxLength={63}
        pattern="[a-z0-9][a-z0-9\-]*"
        title="Lower-case letters, digits and dashes"
        placeholder="eu-central-1"
        defaultValue={connection?.region ?? undefined}
        hint="Leave empty to take it from the base URL or the settings, if they contain one."
      />
      <Select
        label="Training on your data"
        name="trainsOnData"
        defaultValue={trains == null ? '' : trains ? 'yes' : 'no'}
        hint={(known && documented(trainingText(known.dataPolicy))) ?? undefined}
      >
        <option value="">Not stated</option>
        <option value="no">Does not train</option>
        <option value="yes">Trains on API data</option>
      </Select>
      <Input
        label="Retention (days)"
        name="retentionDays"
        type="number"
        min={0}
        max={MAX_RETENTION_DAYS}
        defaultValue={connection?.retentionDays ?? undefined}
        hint={`0 for zero retention. ${(known && documented(retentionText(known.dataPolicy))) ?? ''}`}
      />
    </FieldGroup>
  );
}

const MAX_RETENTION_DAYS = 36_500;

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
  readonly region: string | null;
  readonly trainsOnData: boolean | null;
  readonly retentionDays: number | null;
}

export function connectionInput(form: FormData, known: ProviderPartsFragment | null): ConnectionValues {
  const filled = (isSecret: boolean): OptionValue[] =>
    (known?.options ?? [])
      .filter((each) => each.isSecret === isSecret)
      .map(({ name }) => ({ name, value: textOf(form, `option-${name}`) }))
      .filter(({ value }) => value !== '');
  const trains = textOf(form, 'trainsOnData');
  const days = textOf(form, 'retentionDays');
  return {
    region: textOf(form, 'region') || null,
    trainsOnData: trains === '' ? null : trains === 'yes',
    retentionDays: days === '' ? null : Number(days),
    apiKey: textOf(form, 'apiKey') || undefined,
    baseUrl: textOf(form, 'baseUrl') || null,
    name: textOf(form, 'name') || undefined,
    options: filled(false),
    secretOptions: filled(true),
  };
}
