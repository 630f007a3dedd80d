import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../../../design/button.tsx';
import { CopyButton } from '../../../design/copy.tsx';
import { Checkbox } from '../../../design/field.tsx';
import { saveText } from '../../../data/save-blob.ts';

/** The codes are shown once, so closing requires a confirmation that they are saved. */
export function RecoveryCodesSheet({
  codes,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}): ReactNode {
  const [isSaved, setSaved] = useState(false);
  const text = codes.join('\n');
  return (
    <div className="flex flex-col gap-2">
      <p>
        Each code signs you in once if you lose your authenticator app. They are not shown again. Store them with your
        passwords, not on the same phone.
      </p>
      <div className="rounded-medium bg-panel p-2">
        <ol aria-label="Recovery codes" className="grid grid-cols-2 gap-x-3 gap-y-1 font-mono">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </div>
      <div className="flex items-center gap-1">
        <Button
          icon={<Download size={16} aria-hidden />}
          onClick={() => saveText('sluice-recovery-codes.txt', `Recovery codes for ${location.host}\n\n${text}\n`)}
        >
          Download
        </Button>
        <CopyButton text={text} label="Copy all codes" />
      </div>
      <Checkbox
        label="I have saved these codes"
        checked={isSaved}
        onChange={({ target }) => setSaved(target.checked)}
      />
      <div className="flex justify-end">
        <Button variant="primary" disabled={!isSaved} onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
