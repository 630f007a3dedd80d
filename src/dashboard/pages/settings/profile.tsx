import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Section } from '../../design/page.tsx';
import { PriceUnitSelect } from '../../design/price-unit-select.tsx';
import { useToast } from '../../design/toast.tsx';
import { ChangeEmailDocument, UpdateProfileDocument, type SelfFragment } from '../../generated/graphql.ts';
import { SendAgain } from '../../shell/notices/verification.tsx';

/** The user's name, e-mail address and display settings. */
export function Profile({ user }: { readonly user: SelfFragment }): ReactNode {
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <Name user={user} />
      <Section title="E-mail">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <div className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-1">
            <span className="wrap-anywhere">{user.email}</span>
            {user.emailVerified ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
          </div>
          {user.emailVerified ? null : <SendAgain to={user.email} />}
          <Button onClick={() => setChanging(true)}>Change</Button>
        </div>
        {user.pendingEmail ? (
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-medium bg-panel px-1.5 py-1">
            <p className="min-w-24 flex-1">
              Changes to <span className="font-strong wrap-anywhere">{user.pendingEmail}</span> when you open the link
              sent there.
            </p>
            {user.emailVerified ? <SendAgain to={user.pendingEmail} /> : null}
          </div>
        ) : null}
      </Section>
      <Section title="Display">
        <div className="max-w-[400px]">
          <PriceUnitSelect />
        </div>
        <p className="text-soft">Applies to this browser. Audio and video prices are always per second.</p>
      </Section>
      {isChanging ? <ChangeEmail user={user} onClose={() => setChanging(false)} /> : null}
    </>
  );
}

function Name({ user }: { readonly user: SelfFragment }): ReactNode {
  const [update, pending] = useMutation(UpdateProfileDocument);
  const [error, setError] = useState<FormError | null>(null);
  const toast = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { failure } = await update({ input: { name: valueOf(form, 'name').trim() } });
    if (failure) setError(failure);
    else toast.done('Name updated.');
  };
  return (
    <Section title="Name">
      <Form label="Name" onSubmit={submit} className="max-w-[400px]">
        <Input
          label="Your name"
          hidesLabel
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          defaultValue={user.name}
          hint="Visible to other members of your accounts."
          error={error?.message}
        />
        <div>
          <Button type="submit" pending={pending}>
            Save
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function ChangeEmail({ user, onClose }: { readonly user: SelfFragment; readonly onClose: () => void }): ReactNode {
  const [change, pending] = useMutation(ChangeEmailDocument);
  const [error, setError] = useState<FormError | null>(null);
  const toast = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const input = { email: valueOf(form, 'email').trim(), password: valueOf(form, 'password') };
    const { data, failure } = await change({ input });
    if (failure) setError(failure);
    else if (data.changeEmail.__typename === 'ChangeEmailFailure') setError(data.changeEmail);
    else {
      onClose();
      const { pendingEmail } = data.changeEmail;
      toast.done(pendingEmail ? `Open the link that was sent to ${pendingEmail}.` : 'Your address did not change.');
    }
  };
  const email = errorMessageOf(error, 'invalid_email');
  const password = errorMessageOf(error, 'invalid_credentials');
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change your e-mail address"
      description="The change takes effect when you open the link sent to the new address. Until then you sign in with your current address, which receives a notice."
    >
      {user.hasPassword ? (
        <Form onSubmit={submit}>
          <FormAlert text={email || password ? null : error?.message} />
          <Input label="New address" name="email" type="email" autoComplete="email" required error={email} />
          <Input
            label="Your password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            error={password}
          />
          <div className="flex justify-end gap-1">
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" type="submit" pending={pending}>
              Send link
            </Button>
          </div>
        </Form>
      ) : (
        <p>Set a password under Sign-in first. It is required so that nobody else can take over your user.</p>
      )}
    </Dialog>
  );
}
