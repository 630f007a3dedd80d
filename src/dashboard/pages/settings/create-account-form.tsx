import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useChange } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { Form, FormAlert, valueOf, type FormFault } from '../../design/form.tsx';
import { CreateAccountDocument } from '../../generated/graphql.ts';
import { useSession } from '../../shell/session.tsx';
import { timeZones } from './time-zones.ts';

/** Creates an account and switches to it. @param children rendered beside the submit button */
export function CreateAccountForm({ children }: { readonly children?: ReactNode }): ReactNode {
  const [make, pending] = useChange(CreateAccountDocument);
  const [fault, setFault] = useState<FormFault | null>(null);
  const { selectAccount } = useSession();
  const navigate = useNavigate();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const input = { name: valueOf(form, 'name').trim(), timeZone: valueOf(form, 'timeZone') };
    const { data, failure } = await make({ input });
    if (failure) setFault(failure);
    else {
      await navigate({ to: '/' });
      selectAccount(data.createAccount.id);
    }
  };
  return (
    <Form onSubmit={submit}>
      <FormAlert text={fault?.message} />
      <Input label="Name" name="name" required maxLength={100} autoComplete="organization" />
      <Select
        label="Time zone"
        name="timeZone"
        defaultValue={own}
        hint="Days and months of budgets, usage and invoices start in this time zone."
      >
        {timeZones(own).map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </Select>
      <div className="flex justify-end gap-1">
        {children}
        <Button look="primary" type="submit" pending={pending}>
          Create account
        </Button>
      </div>
    </Form>
  );
}
