import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Input, Select } from '../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { words } from '../../design/format.ts';
import { Dialog } from '../../design/overlay.tsx';
import { useToast } from '../../design/toast.tsx';
import { InviteMemberDocument, type Role } from '../../generated/graphql.ts';
import { useViewerQuery } from '../../shell/viewer.ts';
import { roleTexts } from './role-texts.ts';

interface SharedLink {
  readonly email: string;
  readonly link: string;
}

/** Shows the link once, on servers that send no mail. */
export function LinkDialog({ email, link, onClose }: SharedLink & { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Share the link"
      description={`This server sends no mail. Send this link to ${email} yourself. It is shown only once, works once and expires in a week.`}
    >
      <CopyLine text={link} label="Copy the link" />
      <p className="my-1.5 text-soft">
        The mail is also in the folder <code>mail</code> of the server’s data folder.
      </p>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

export function InviteDialog({
  assignableRoles,
  onClose,
  onInvited,
}: {
  readonly assignableRoles: readonly Role[];
  readonly onClose: () => void;
  readonly onInvited: () => void;
}): ReactNode {
  const [invite, pending] = useMutation(InviteMemberDocument);
  const [error, setError] = useState<FormError | null>(null);
  const [role, setRole] = useState<Role>('DEVELOPER');
  const { sendsMail } = useViewerQuery().signInOptions;
  const [sharedLink, setSharedLink] = useState<SharedLink | null>(null);
  const toast = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await invite({ input: { email: valueOf(form, 'email').trim(), role } });
    if (failure) setError(failure);
    else if (data.inviteMember.__typename === 'InviteMemberFailure') setError(data.inviteMember);
    else {
      onInvited();
      const { email, link } = data.inviteMember;
      if (link) setSharedLink({ email, link });
      else {
        toast.done(`A link was sent to ${email}.`);
        onClose();
      }
    }
  };
  if (sharedLink) return <LinkDialog {...sharedLink} onClose={onClose} />;
  const email = errorMessageOf(error, 'invalid_email', 'already_member', 'already_invited');
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite member"
      description={
        sendsMail
          ? 'The link is sent by e-mail, expires after a week and works only for that address.'
          : 'This server sends no mail, so you share the link yourself. It expires after a week and works only for that address.'
      }
    >
      <Form onSubmit={submit}>
        <FormAlert text={email ? null : error?.message} />
        <Input label="E-mail" name="email" type="email" autoComplete="off" required error={email} />
        <Select
          label="Role"
          value={role}
          hint={roleTexts[role]}
          onChange={({ target }) => setRole(assignableRoles.find((each) => each === target.value) ?? role)}
        >
          {assignableRoles.map((each) => (
            <option key={each} value={each}>
              {words(each)}
            </option>
          ))}
        </Select>
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" pending={pending}>
            {sendsMail ? 'Send invitation' : 'Create link'}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
