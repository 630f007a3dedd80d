import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Absent } from '../../../../design/absent.tsx';
import { Button } from '../../../../design/button.tsx';
import { count } from '../../../../design/format.ts';
import type { DatasetRunResultPartsFragment } from '../../../../generated/graphql.ts';
import { promptText } from '../../../comparator/prompt.tsx';
import { messageText, outputText } from '../../output-text.ts';
import { OutputView } from './output-view.tsx';

type Item = NonNullable<DatasetRunResultPartsFragment['item']>;

/** An item with its input, the expected output and the output of each model. */
export function ResultItem({
  result: { position, item, outputs },
  datasetId,
  models,
  isMarked,
  isOpen,
  onOpen,
}: {
  readonly result: DatasetRunResultPartsFragment;
  /** Null after it was deleted. */
  readonly datasetId: string | null;
  readonly models: readonly string[];
  /** Marks what differs from the expected output. */
  readonly isMarked: boolean;
  /** Shows the texts in full. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}): ReactNode {
  const name = `Item ${count(position)}`;
  const textOf = (read: (item: Item) => string): ReactNode =>
    item == null ? (
      <Absent reason="The item was removed from the dataset." />
    ) : item.messages == null ? (
      <Absent reason="This item cannot be decrypted." />
    ) : (
      read(item)
    );
  const clamp = isOpen ? '' : 'line-clamp-4';
  const byModel = new Map(outputs.map((output) => [output.model, output]));
  return (
    <article aria-label={name} className="flex flex-col gap-1.5">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <h3 className="figures flex-1">{name}</h3>
        {item && datasetId !== null ? (
          <Link
            to="/datasets/$id"
            params={{ id: datasetId }}
            search={{ item: item.id }}
            className="text-accent underline underline-offset-2"
          >
            Open item<span className="sr-only"> {count(position)}</span>
          </Link>
        ) : null}
        <Button variant="quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show in full'}
          <span className="sr-only"> {name}</span>
        </Button>
      </header>
      <div className="grid gap-x-3 gap-y-1 md:grid-cols-2">
        <LabelledText label="Input" clamp={clamp}>
          {textOf(({ messages }) => promptText({ messages }) || 'No text')}
        </LabelledText>
        <LabelledText label="Expected output" clamp={clamp}>
          {textOf((each) => outputText(each.output))}
        </LabelledText>
      </div>
      {/* Focusable, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div
        role="group"
        aria-label={`Outputs of ${name.toLowerCase()}`}
        tabIndex={0}
        className="gap-x-2 gap-y-2 max-md:flex max-md:snap-x max-md:snap-mandatory max-md:overflow-x-auto md:grid md:grid-cols-[repeat(auto-fill,minmax(256px,1fr))]"
      >
        {models.map((model) => {
          const output = byModel.get(model);
          return output ? (
            <OutputView
              key={model}
              output={output}
              expected={isMarked ? messageText(item?.output) : null}
              isOpen={isOpen}
              outputs={outputs.length}
            />
          ) : null;
        })}
      </div>
    </article>
  );
}

function LabelledText({
  label,
  clamp,
  children,
}: {
  readonly label: string;
  readonly clamp: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="min-w-0">
      <div className="text-small text-soft">{label}</div>
      <p className={`whitespace-pre-wrap wrap-anywhere ${clamp}`}>{children}</p>
    </div>
  );
}
