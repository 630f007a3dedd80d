import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { CreateAccountDocument } from '../../generated/graphql.ts';
import { useSession } from '../../shell/session.tsx';
import { timeZones } from './time-zones.ts';

/** Creates an account and switches to it. @param children rendered beside the submit button */
export function CreateAccountForm({ children }: { readonly children?: ReactNode }): ReactNode {
  const [create, pending] = useMutation(CreateAccountDocument);
  const [error, setError] = useState<FormError | null>(null);
  const { selectAccount } = useSession();
  const navigate = useNavigate();
  const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const input = { name: valueOf(form, 'name').trim(), timeZone: valueOf(form, 'timeZone') };
    const { data, failure } = await create({ input });
    if (failure) setError(failure);
    else {
      await navigate({ to: '/' });
      selectAccount(data.createAccount.id);
    }
  };
  return (
    <Form onSubmit={submit}>
      <FormAlert text={error?.message} />
      <Input label="Name" name="name" required maxLength={100} autoComplete="organization" />
      <Select
        label="Time zone"
        name="timeZone"
        defaultValue={browserTimeZone}
        hint="Days and months of budgets, usage and invoices start in this time zone."
      >
        {timeZones(browserTimeZone).map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </Select>
      <div className="flex justify-end gap-1">
        {children}
        <Button variant="primary" type="submit" pending={pending}>
          Create account
        </Button>
      </div>
    </Form>
  );
}
