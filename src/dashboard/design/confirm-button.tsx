import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './overlay.tsx';

/** A button of an action that cannot be undone, which a dialog confirms. */
export function ConfirmButton({
  label,
  title,
  description,
  confirm,
  cancel = 'Cancel',
  pending,
  onConfirm,
}: {
  readonly label: string;
  readonly title: string;
  readonly description: string;
  /** The text of the button that confirms. */
  readonly confirm: string;
  readonly cancel?: string;
  readonly pending: boolean;
  /** The dialog closes when it has ended. */
  readonly onConfirm: () => Promise<void>;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const run = async (): Promise<void> => {
    await onConfirm();
    setOpen(false);
  };
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={title} description={description}>
        <div className="flex justify-end gap-1">
          <Button onClick={() => setOpen(false)}>{cancel}</Button>
          <Button variant="danger" pending={pending} onClick={() => void run()}>
            {confirm}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
