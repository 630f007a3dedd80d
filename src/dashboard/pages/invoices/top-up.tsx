import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useChange } from '../../data/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { TopUpDocument } from '../../generated/graphql.ts';

/** Leads to the payment service's page. */
export function TopUp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }): ReactNode {
  const [begin, pending] = useChange(TopUpDocument);
  const [fault, setFault] = useState<Failure | null>(null);
  const [isUnavailable, setUnavailable] = useState(false);
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const { data, failure } = await begin({ amount: textOf(form, 'amount') });
    if (failure) setFault(failure);
    else if (data.topUp.__typename === 'TopUpCheckout') location.assign(data.topUp.url);
    else if (data.topUp.code === 'top_up_unavailable') setUnavailable(true);
    else setFault({ message: data.topUp.message, code: data.topUp.code, requestId: null });
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Top up"
      description="Credit pays invoices before anything else does. It does not expire."
    >
      {isUnavailable ? (
        <div className="flex flex-col gap-2">
          <p>
            This server takes no payments by card. Ask whoever runs it to enter a payment: your invoices say what to pay
            and by which number.
          </p>
          <div className="flex justify-end">
            <Button onClick={onClose}>Close</Button>
          </div>
        </div>
      ) : (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(new FormData(event.currentTarget));
          }}
        >
          <Input
            label="USD"
            name="amount"
            required
            inputMode="decimal"
            pattern="\d{1,5}(\.\d{1,2})?"
            title="From 1 to 10000, in whole cents"
            placeholder="25"
            hint="From 1 to 10,000."
          />
          {fault ? <Failed failure={fault} /> : null}
          <div className="flex justify-end gap-1">
            <Button onClick={onClose}>Leave it</Button>
            <Button look="primary" type="submit" pending={pending}>
              Go on to pay
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
