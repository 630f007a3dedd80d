import type { ReactNode } from 'react';
import { textOf } from '../../data/form.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Input, Select } from '../../design/field.tsx';
import { WarnBeforeClose } from '../../design/overlay.tsx';
import type { AlertChannelKind, AlertChannelPartsFragment } from '../../generated/graphql.ts';

export function emailsOf(form: FormData): string[] {
  return textOf(form, 'emails')
    .split(/[\s,;]+/)
    .filter((each) => each !== '');
}

/** For an existing channel an empty field keeps what is stored, which is secret except for addresses. */
export function TargetFields({
  kind,
  channel,
}: {
  readonly kind: AlertChannelKind;
  readonly channel?: AlertChannelPartsFragment;
}): ReactNode {
  if (kind === 'EMAIL')
    return (
      <Input
        label="Addresses"
        name="emails"
        required
        hint="Up to 10, separated by commas."
        autoComplete="off"
        defaultValue={channel?.emails.join(', ')}
      />
    );
  const keeps = channel && `Empty keeps ${channel.hint}.`;
  if (kind === 'PAGERDUTY')
    return (
      <>
        <Input
          label={channel ? 'New integration key' : 'Integration key'}
          name="routingKey"
          required={channel === undefined}
          pattern="[A-Za-z0-9]{32}"
          autoComplete="off"
          hint={keeps ?? '32 characters. It is encrypted, and only its end is shown later.'}
        />
        <Select label="Region" name="region" defaultValue={channel ? '' : 'US'}>
          {channel ? <option value="">Unchanged</option> : null}
          <option value="US">United States</option>
          <option value="EU">Europe</option>
        </Select>
      </>
    );
  return (
    <Input
      label={channel ? 'New URL' : 'URL'}
      name="url"
      type="url"
      required={channel === undefined}
      autoComplete="off"
      hint={
        keeps ??
        'It is encrypted, and only its host and end are shown later. It must be on the public internet or allowed by the operator.'
      }
    />
  );
}

/** A signing secret, held in the state of the component around it only. */
export function NewSecret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <WarnBeforeClose what="The secret" />
      <CopyLine text={secret} label="Copy the secret" />
      <div>
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
