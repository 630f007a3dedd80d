import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';

export const TEST_FAILED = 'connection_test_failed';

/** Saves the connection as inactive after a failed test. */
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
      title="Saved as inactive: requests do not use it until a test succeeds"
      onClick={({ currentTarget: { form } }) => {
        if (form?.reportValidity()) onSave(new FormData(form));
      }}
    >
      Save anyway
    </Button>
  );
}
