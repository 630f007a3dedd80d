import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { RestFailure, useRest } from '../../data/rest.ts';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import { purposeNames, uploadPurposes } from './purposes.ts';

const DAY_SECONDS = 86_400;
const lifetimesInDays = [1, 7, 30] as const;

export function UploadFile({
  open,
  onClose,
  onUploaded,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onUploaded: () => void;
}): ReactNode {
  return (
    <Drawer
      open={open}
      onClose={onClose}
      title="Upload file"
      description="Up to 512 MB. Larger files are sent in parts, through the API."
    >
      <Form
        onUploaded={() => {
          onUploaded();
          onClose();
        }}
      />
    </Drawer>
  );
}

function Form({ onUploaded }: { readonly onUploaded: () => void }): ReactNode {
  const call = useRest();
  const toast = useToast();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const submit = async (given: FormData): Promise<void> => {
    setPending(true);
    setFailure(null);
    try {
      const { response } = await call({ path: '/v1/files', body: formOf(given) });
      // The connection is in use until its body is read.
      await response.text();
      toast.done('File uploaded.');
      onUploaded();
    } catch (error) {
      if (!(error instanceof RestFailure)) throw error;
      setFailure(error.failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Input label="File" name="file" type="file" required className="py-0.5 max-md:py-1" />
      <Select label="Purpose" name="purpose" defaultValue={purposeNames.USER_DATA}>
        {uploadPurposes.map((purpose) => (
          <option key={purpose} value={purposeNames[purpose]}>
            {purposeNames[purpose]}
          </option>
        ))}
      </Select>
      <Select
        label="Delete it"
        name="seconds"
        defaultValue=""
        hint="Files with the purpose batch are deleted after 30 days unless you choose otherwise."
      >
        <option value="">Default</option>
        {lifetimesInDays.map((days) => (
          <option key={days} value={days * DAY_SECONDS}>
            {days === 1 ? 'After a day' : `After ${days} days`}
          </option>
        ))}
      </Select>
      {failure ? <Failed failure={failure} /> : null}
      <div>
        <Button variant="primary" type="submit" pending={pending}>
          Upload
        </Button>
      </div>
    </form>
  );
}

/** The form of `POST /v1/files`, which has the file last. */
function formOf(given: FormData): FormData {
  const form = new FormData();
  const [file, purpose, seconds] = ['file', 'purpose', 'seconds'].map((name) => given.get(name));
  if (typeof purpose === 'string') form.set('purpose', purpose);
  if (typeof seconds === 'string' && seconds !== '') {
    form.set('expires_after[anchor]', 'created_at');
    form.set('expires_after[seconds]', seconds);
  }
  if (file instanceof File) form.set('file', file);
  return form;
}
