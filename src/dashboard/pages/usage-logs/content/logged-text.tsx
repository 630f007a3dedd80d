import { File } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { CopyButton } from '../../../design/copy.tsx';
import { count, fileSize } from '../../../design/format.ts';

const MAX_SHOWN = 2_000;
const references = /(\[media:[\w.+/;=-]{0,100}; \d+ bytes(?:; sha256:[0-9a-f]{64})?\]|\[redacted:[a-z0-9-]{1,40}\])/;
const media = /^\[media:([\w.+/;=-]{0,100}); (\d+) bytes(?:; sha256:([0-9a-f]{64}))?\]$/;
const redacted = /^\[redacted:([a-z0-9-]+)\]$/;

/** A text as it was logged. Long ones are shown in full on request. */
export function LoggedText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN;
  const shown = isLong && !isWhole ? text.slice(0, MAX_SHOWN) : text;
  return (
    <div className="flex flex-col items-start gap-0.5">
      <div className="max-w-full wrap-anywhere whitespace-pre-wrap">
        {shown.split(references).map((piece, at) => (
          <Piece key={at} text={piece} />
        ))}
      </div>
      {isLong ? (
        <Button onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${count(text.length)} characters`}
        </Button>
      ) : null}
    </div>
  );
}

function Piece({ text }: { readonly text: string }): ReactNode {
  const [, name] = redacted.exec(text) ?? [];
  if (name !== undefined) return <Badge>{`redacted: ${name}`}</Badge>;
  return media.test(text) ? <MediaReference reference={text} /> : text;
}

/** Media, of which only type, size and digest are stored; or an address, which is not loaded. */
export function MediaReference({ reference }: { readonly reference: string }): ReactNode {
  const [, type = '', size = '', digest] = media.exec(reference) ?? [];
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-1 rounded-medium border border-line bg-panel px-1 align-middle">
      <File size={16} aria-hidden className="text-soft" />
      <span className="min-w-0 wrap-anywhere">{type === '' ? reference : `${type}, ${fileSize(Number(size))}`}</span>
      {digest === undefined ? null : (
        <>
          <code className="text-small text-soft" title={digest}>{`sha256 ${digest.slice(0, 8)}…`}</code>
          <CopyButton text={digest} label="Copy SHA-256" />
        </>
      )}
    </span>
  );
}
