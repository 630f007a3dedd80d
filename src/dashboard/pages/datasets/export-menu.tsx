import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { callRest, RestFailure } from '../../data/rest.ts';
import { Button } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Dialog } from '../../design/overlay.tsx';
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
  const [incomplete, setIncomplete] = useState<Format | null>(null);
  const urlOf = (format: Format, unreadable?: 'omit'): string =>
    download('/exports/dataset.jsonl', { id, format, unreadable });
  const start = async (format: Format): Promise<void> => {
    const url = urlOf(format);
    const code = await refusalOf(url);
    if (code === UNREADABLE_STATUS) setIncomplete(format);
    // The browser shows any other error.
    else location.assign(url);
  };
  return (
    <>
      <Menu
        align="end"
        trigger={<Button icon={<Download size={16} aria-hidden />}>Export</Button>}
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

/** Of `dataset_items_unreadable`: the response to HEAD has no body. */
const UNREADABLE_STATUS = '409';

/** The code of an error, without the file. Null if there is none. */
async function refusalOf(path: string): Promise<string | null> {
  try {
    await callRest({ path, method: 'HEAD' });
    return null;
  } catch (error) {
    if (error instanceof RestFailure) return error.failure.code;
    throw error;
  }
}
