import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';

export const TEST_FAILED = 'connection_test_failed';

/** Saves what a form holds though its test failed: inactive, until a test succeeds. */
export function SaveAnyway({
  pending,
  onSave,
}: {
  readonly pending: boolean;
  readonly onSave: (form: FormData) => void;
}): ReactNode {
  return (
    <Button
      pending={pending}
      title="Saved inactive: no request uses it until a test succeeds"
      onClick={({ currentTarget: { form } }) => {
        if (form?.reportValidity()) onSave(new FormData(form));
      }}
    >
      Save anyway
    </Button>
  );
}
