import { useState, type ReactNode } from 'react';
import { useQuery } from '../../../data/graphql/hooks.ts';
import { Button } from '../../../design/button.tsx';
import { codeBlockClass } from '../../../design/code.tsx';
import { FormAlert } from '../../../design/form.tsx';
import { Textarea } from '../../../design/textarea.tsx';
import { RedactionPreviewDocument, type RedactionInput } from '../../../generated/graphql.ts';
import { redactionOf } from './redaction-fields.tsx';

const EXAMPLE = 'Mail jane@example.com or call +49 30 1234567. My card is 4111 1111 1111 1111, password=hunter2.';
const MAX_LENGTH = 10_000;

interface Sample {
  readonly redaction: RedactionInput;
  readonly text: string;
}

/** Shows a text as it would be stored with the rules in the form, also before they are saved. */
export function RedactionTest(): ReactNode {
  const [text, setText] = useState(EXAMPLE);
  const [sample, setSample] = useState<Sample | null>(null);
  const { data, failure, isCurrent } = useQuery(
    RedactionPreviewDocument,
    sample ?? { redaction: { detectors: [], customPatterns: [] }, text: '' },
    { pause: sample === null },
  );
  const preview = sample !== null && isCurrent ? data?.redactionPreview : null;
  return (
    <div className="flex flex-col gap-1">
      <Textarea
        label="Try it"
        value={text}
        maxLength={MAX_LENGTH}
        onChange={({ target }) => setText(target.value)}
        hint="Redacted by the rules above, also unsaved ones. The text is not stored."
      />
      <div>
        <Button
          onClick={({ currentTarget: { form } }) => {
            if (form) setSample({ redaction: redactionOf(new FormData(form)), text });
          }}
        >
          Show redacted
        </Button>
      </div>
      <FormAlert text={failure?.message} />
      {preview ? (
        <output aria-label="Redacted text" className="flex flex-col gap-0.5">
          <span className={`${codeBlockClass} break-words whitespace-pre-wrap`}>{preview.text}</span>
          <span className="text-soft">{foundText(preview.counts)}</span>
        </output>
      ) : null}
    </div>
  );
}

function foundText(counts: readonly { readonly name: string; readonly count: number }[]): string {
  if (counts.length === 0) return 'Nothing was found.';
  return `Replaced: ${counts.map(({ name, count }) => `${name} ${count}`).join(', ')}`;
}
