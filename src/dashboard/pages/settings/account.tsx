import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, Input, Select } from '../../design/field.tsx';
import { Form, valueOf, type FormError, FormAlert } from '../../design/form.tsx';
import { Section } from '../../design/page.tsx';
import { useToast } from '../../design/toast.tsx';
import { UpdateAccountDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { timeZones } from './time-zones.ts';

/** Name, time zone and retention of the current account. */
export function AccountSettings(): ReactNode {
  const { currentAccount } = useViewer();
  const { can, rolesAllowedTo } = usePermissions();
  const [update, pending] = useMutation(UpdateAccountDocument);
  const [error, setError] = useState<FormError | null>(null);
  const toast = useToast();
  const canChange = can('account.write');
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const input = {
      name: valueOf(form, 'name').trim(),
      timeZone: valueOf(form, 'timeZone'),
      zeroRetention: form.has('zeroRetention'),
    };
    const { failure } = await update({ input });
    if (failure) setError(failure);
    else toast.done('Account updated.');
  };
  return (
    <Section title="This account">
      <Form key={currentAccount.id} label="This account" onSubmit={submit} className="max-w-[400px]">
        <FormAlert text={error?.message} />
        <Input
          label="Account name"
          name="name"
          required
          maxLength={100}
          defaultValue={currentAccount.name}
          disabled={!canChange}
        />
        <Select
          label="Time zone"
          name="timeZone"
          defaultValue={currentAccount.timeZone}
          disabled={!canChange}
          hint="Days and months of budgets, usage and invoices start in this time zone."
        >
          {timeZones(currentAccount.timeZone).map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </Select>
        <Checkbox
          label="Zero retention"
          name="zeroRetention"
          defaultChecked={currentAccount.zeroRetention}
          disabled={!canChange}
          hint="Prompts and responses are not stored after a request. Comparisons, videos, background responses and image links are refused. Content stored earlier remains until you delete it."
        />
        {canChange ? (
          <div>
            <Button type="submit" pending={pending}>
              Save
            </Button>
          </div>
        ) : (
          <p className="text-soft">Only {rolesAllowedTo('account.write')} of the account can change these settings.</p>
        )}
      </Form>
    </Section>
  );
}
