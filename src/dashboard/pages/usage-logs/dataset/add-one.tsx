import { Database } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../../../design/button.tsx';
import { usePermissions } from '../../../shell/permissions.ts';
import { AddToDataset } from './add-to-dataset.tsx';

/** Adds the request whose details are open to a dataset. */
export function AddOne({ id }: { readonly id: string }): ReactNode {
  const { can } = usePermissions();
  const [isOpen, setOpen] = useState(false);
  if (!can('datasets.write')) return null;
  return (
    <>
      <Button icon={<Database size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Add to dataset
      </Button>
      <AddToDataset ids={[id]} open={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
