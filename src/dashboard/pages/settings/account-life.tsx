import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useChange } from '../../data/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Form, FormAlert, valueOf, type FormFault } from '../../design/form.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Section } from '../../design/page.tsx';
import { useToast } from '../../design/toast.tsx';
import { DeleteAccountDocument } from '../../generated/graphql.ts';
import { useDownload } from '../../shell/download.ts';
import { usePowers } from '../../shell/powers.ts';
import { useViewer } from '../../shell/viewer.ts';
import { CreateAccountForm } from './create-account-form.tsx';

/** What comes before and after an account: its copy, its end, and one more. */
export function AccountLife(): ReactNode {
  const { currentAccount } = useViewer();
  const { may } = usePowers();
  const { create } = useSearch({ from: '/signed/settings' });
  const navigate = useNavigate({ from: '/settings' });
  const download = useDownload();
  const [isDeleting, setDeleting] = useState(false);
  const endCreating = (): void => void navigate({ search: { tab: 'account' } });
  return (
    <>
      {may('account.export') ? (
        <Section title="Export">
          <p className="text-soft">All that the account holds, but its secrets: a JSON line for each thing.</p>
          <div>
            <a href={download('/exports/account.jsonl')} download className={buttonClass('plain')}>
              <Download size={16} aria-hidden />
              Export the account
            </a>
          </div>
        </Section>
      ) : null}
      <Section title="Another account">
        <p className="text-soft">
          With keys, members, a plan and a bill of its own. The menu at the top left leads from one to the other.
        </p>
        <div>
          <Button onClick={() => void navigate({ search: { tab: 'account', create: true } })}>New account</Button>
        </div>
      </Section>
      {may('account.delete') && !currentAccount.erasedAfter ? (
        <Section title="Delete this account">
          <p className="text-soft">
            Its keys are refused at once. For 30 days it can be restored and exported; then it is permanently erased.
          </p>
          <div>
            <Button
              look="danger"
              className="!h-auto min-h-4.5 max-w-full py-0.75 wrap-anywhere !whitespace-normal max-md:min-h-5.5"
              onClick={() => setDeleting(true)}
            >
              Delete {currentAccount.name}
            </Button>
          </div>
        </Section>
      ) : null}
      {create ? (
        <Dialog open onClose={endCreating} title="A new account" description="You are its owner.">
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
  const [remove, pending] = useChange(DeleteAccountDocument);
  const [fault, setFault] = useState<FormFault | null>(null);
  const tell = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const { failure } = await remove({ input: { confirmName: valueOf(form, 'confirmName') } });
    if (failure) setFault(failure);
    else {
      onClose();
      tell.done(`${currentAccount.name} is deleted. It can be restored for 30 days.`);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this account?"
      description="Whatever runs with its keys is refused from this moment on."
    >
      <Form onSubmit={submit}>
        <FormAlert text={fault?.message} />
        <Input
          label={`Type “${currentAccount.name}” to go on`}
          name="confirmName"
          required
          autoComplete="off"
          spellCheck={false}
        />
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" pending={pending}>
            Delete the account
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
