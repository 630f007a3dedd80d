import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { RestFailure, useRest } from '../data/rest.ts';
import { saveBlob } from '../data/save-blob.ts';
import { Button } from './button.tsx';
import { useToast } from './toast.tsx';

/** Downloads what `/v1` sends: a link cannot send the header of a session. */
export function DownloadButton({
  path,
  name,
  label,
}: {
  readonly path: string;
  /** The file's name. */
  readonly name: string;
  readonly label: string;
}): ReactNode {
  const call = useRest();
  const toast = useToast();
  const [pending, setPending] = useState(false);
  const run = async (): Promise<void> => {
    setPending(true);
    try {
      const { response } = await call({ path, method: 'GET' });
      saveBlob(name, await response.blob());
    } catch (error) {
      toast.failed(
        error instanceof RestFailure
          ? error.failure
          : { message: 'The download broke off. Try again.', code: 'unreachable', requestId: null },
      );
    } finally {
      setPending(false);
    }
  };
  return (
    <Button pending={pending} onClick={() => void run()} icon={<Download size={16} aria-hidden />}>
      {label}
    </Button>
  );
}
