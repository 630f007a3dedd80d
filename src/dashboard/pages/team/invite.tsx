import { useState, type ReactNode } from 'react';
import { useChange } from '../../data/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Input, Select } from '../../design/field.tsx';
import { faultOf, Form, FormAlert, valueOf, type FormFault } from '../../design/form.tsx';
import { words } from '../../design/format.ts';
import { Dialog } from '../../design/overlay.tsx';
import { useToast } from '../../design/toast.tsx';
import { InviteMemberDocument, type Role } from '../../generated/graphql.ts';
import { useViewerQuery } from '../../shell/viewer.ts';
import { roleTexts } from './role-texts.ts';

interface HandedOver {
  readonly email: string;
  readonly link: string;
}

/** Where the server sends no mail: the link, once, for who invites to hand over. */
export function LinkDialog({ email, link, onClose }: HandedOver & { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Hand the link over"
      description={`This server sends no mail. Give this link to ${email}: it is shown only once, works once, and expires in a week.`}
    >
      <CopyLine text={link} label="Copy the link" />
      <p className="my-1.5 text-soft">
        The message with it is in the folder <code>mail</code> of the server’s data folder too.
      </p>
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

export function InviteDialog({
  givable,
  onClose,
  onInvited,
}: {
  readonly givable: readonly Role[];
  readonly onClose: () => void;
  readonly onInvited: () => void;
}): ReactNode {
  const [invite, pending] = useChange(InviteMemberDocument);
  const [fault, setFault] = useState<FormFault | null>(null);
  const [role, setRole] = useState<Role>('DEVELOPER');
  const { sendsMail } = useViewerQuery().signInOptions;
  const [handOver, setHandOver] = useState<HandedOver | null>(null);
  const tell = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const { data, failure } = await invite({ input: { email: valueOf(form, 'email').trim(), role } });
    if (failure) setFault(failure);
    else if (data.inviteMember.__typename === 'InviteMemberFailure') setFault(data.inviteMember);
    else {
      onInvited();
      const { email, link } = data.inviteMember;
      if (link) setHandOver({ email, link });
      else {
        tell.done(`A link is on its way to ${email}.`);
        onClose();
      }
    }
  };
  if (handOver) return <LinkDialog {...handOver} onClose={onClose} />;
  const email = faultOf(fault, 'invalid_email', 'already_member', 'already_invited');
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite somebody"
      description={
        sendsMail
          ? 'They get a link by e-mail, good for a week. It works for that address alone.'
          : 'This server sends no mail: you get a link to hand over, good for a week. It works for that address alone.'
      }
    >
      <Form onSubmit={submit}>
        <FormAlert text={email ? null : fault?.message} />
        <Input label="E-mail" name="email" type="email" autoComplete="off" required fault={email} />
        <Select
          label="Role"
          value={role}
          hint={roleTexts[role]}
          onChange={({ target }) => setRole(givable.find((each) => each === target.value) ?? role)}
        >
          {givable.map((each) => (
            <option key={each} value={each}>
              {words(each)}
            </option>
          ))}
        </Select>
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" pending={pending}>
            {sendsMail ? 'Send the invitation' : 'Create the link'}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
