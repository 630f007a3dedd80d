import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { TopUpDocument } from '../../generated/graphql.ts';

/** Redirects to the payment service's page. */
export function TopUp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }): ReactNode {
  const [begin, pending] = useMutation(TopUpDocument);
  const [error, setError] = useState<Failure | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await begin({ amount: textOf(form, 'amount') });
    if (failure) setError(failure);
    else if (data.topUp.__typename === 'TopUpCheckout') location.assign(data.topUp.url);
    else setError({ message: data.topUp.message, code: data.topUp.code, requestId: null });
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Top up"
      description="Credit is applied to invoices first. It does not expire."
    >
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(new FormData(event.currentTarget));
        }}
      >
        <Input
          label="Amount (USD)"
          name="amount"
          required
          inputMode="decimal"
          pattern="\d{1,5}(\.\d{1,2})?"
          title="From 1 to 10,000 USD, in whole cents"
          placeholder="25"
          hint="From $1 to $10,000."
        />
        {error ? <Failed failure={error} /> : null}
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" pending={pending}>
            Continue to payment
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
