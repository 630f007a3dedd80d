import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Section } from '../../design/page.tsx';
import { useToast } from '../../design/toast.tsx';
import { DeleteAccountDocument } from '../../generated/graphql.ts';
import { useDownload } from '../../shell/download.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { CreateAccountForm } from './create-account-form.tsx';

/** Export, deletion and the creation of another account. */
export function AccountLifecycle(): ReactNode {
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  const { create } = useSearch({ from: '/shell/settings' });
  const navigate = useNavigate({ from: '/settings' });
  const download = useDownload();
  const [isDeleting, setDeleting] = useState(false);
  const endCreating = (): void => void navigate({ search: { tab: 'account' } });
  return (
    <>
      {can('account.export') ? (
        <Section title="Export">
          <p className="text-soft">
            Everything that the account contains except its secrets, as JSON lines with one object per line.
          </p>
          <div>
            <a href={download('/exports/account.jsonl')} download className={buttonClass('plain')}>
              <Download size={16} aria-hidden />
              Export account
            </a>
          </div>
        </Section>
      ) : null}
      <Section title="Another account">
        <p className="text-soft">
          It has its own API keys, members, plan and invoices. Switch between accounts in the menu at the top left.
        </p>
        <div>
          <Button onClick={() => void navigate({ search: { tab: 'account', create: true } })}>New account</Button>
        </div>
      </Section>
      {can('account.delete') && !currentAccount.erasedAfter ? (
        <Section title="Delete this account">
          <p className="text-soft">
            Its API keys stop working immediately. You can restore and export the account for 30 days. Then it is
            permanently erased.
          </p>
          <div>
            <Button
              variant="danger"
              className="!h-auto min-h-4.5 max-w-full py-0.75 wrap-anywhere !whitespace-normal max-md:min-h-5.5"
              onClick={() => setDeleting(true)}
            >
              Delete {currentAccount.name}
            </Button>
          </div>
        </Section>
      ) : null}
      {create ? (
        <Dialog open onClose={endCreating} title="New account" description="You will be its owner.">
          <CreateAccountForm>
            <Button onClick={endCreating}>Cancel</Button>
          </CreateAccountForm>
        </Dialog>
      ) : null}
      {isDeleting ? <Delete onClose={() => setDeleting(false)} /> : null}
    </>
  );
}

function Delete({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { currentAccount } = useViewer();
  const [remove, pending] = useMutation(DeleteAccountDocument);
  const [error, setError] = useState<FormError | null>(null);
  const toast = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { failure } = await remove({ input: { confirmName: valueOf(form, 'confirmName') } });
    if (failure) setError(failure);
    else {
      onClose();
      toast.done(`${currentAccount.name} is deleted. You can restore it for 30 days.`);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this account?"
      description="All requests with its API keys will be refused immediately."
    >
      <Form onSubmit={submit}>
        <FormAlert text={error?.message} />
        <Input
          label={`Type “${currentAccount.name}” to confirm`}
          name="confirmName"
          required
          autoComplete="off"
          spellCheck={false}
        />
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" pending={pending}>
            Delete account
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
