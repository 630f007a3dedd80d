import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { callRest, RestFailure } from '../../data/rest.ts';
import { Button } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { useToast } from '../../design/toast.tsx';
import { useDownload } from '../../shell/download.ts';

const formats = [
  { format: 'plain', label: 'Input, output and metadata' },
  { format: 'openai-fine-tuning', label: 'OpenAI fine-tuning' },
  { format: 'openai-evals', label: 'OpenAI evals' },
] as const;
type Format = (typeof formats)[number]['format'];

/** Downloads the dataset. Asks first where the file would lack items. */
export function ExportMenu({ id }: { readonly id: string }): ReactNode {
  const download = useDownload();
  const toast = useToast();
  const [pending, setPending] = useState(false);
  const [incomplete, setIncomplete] = useState<Format | null>(null);
  const urlOf = (format: Format, unreadable?: 'omit'): string =>
    download('/exports/dataset.jsonl', { id, format, unreadable });
  const start = async (format: Format): Promise<void> => {
    const url = urlOf(format);
    setPending(true);
    const failure = await refusalOf(url).finally(() => setPending(false));
    if (failure === null) location.assign(url);
    else if (failure.code === 'dataset_items_unreadable') setIncomplete(format);
    else toast.failed(failure);
  };
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon={<Download size={16} aria-hidden />} pending={pending}>
            Export
          </Button>
        }
        groups={[
          {
            title: 'JSON Lines',
            items: formats.map(({ format, label }) => ({ label, onSelect: () => void start(format) })),
          },
        ]}
      />
      <Dialog
        open={incomplete !== null}
        onClose={() => setIncomplete(null)}
        title="Export without unreadable items?"
        description="Some items of this dataset cannot be decrypted: they were encrypted under another secret of the server. The file would not contain them, and cannot say so."
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setIncomplete(null)}>Cancel</Button>
          <Button
            variant="primary"
            onClick={() => {
              if (incomplete !== null) location.assign(urlOf(incomplete, 'omit'));
              setIncomplete(null);
            }}
          >
            Export the others
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Why an export is refused, without reading the file; null if it is not. */
async function refusalOf(path: string): Promise<Failure | null> {
  if ((await failureOf(path, 'HEAD')) === null) return null;
  // The response to HEAD has no body, and so no code of the error.
  return failureOf(path, 'GET');
}

async function failureOf(path: string, method: 'HEAD' | 'GET'): Promise<Failure | null> {
  try {
    const { response } = await callRest({ path, method });
    await response.body?.cancel();
    return null;
  } catch (error) {
    if (error instanceof RestFailure) return error.failure;
    throw error;
  }
}
