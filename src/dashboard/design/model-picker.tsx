import { Command } from 'cmdk';
import { ChevronsUpDown } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { useRead } from '../data/hooks.ts';
import { ModelListDocument, type ModelRowFragment } from '../generated/graphql.ts';
import { inputPrice, outputPrice } from '../pages/models/prices.ts';
import { Badge, BetaBadge } from './badge.tsx';
import { words } from './format.ts';

const SHOWN = 50;

/**
 * Chooses one model of those that can do something, by any part of its name.
 * @param trigger a button; where absent, one that names the chosen model
 */
export function ModelPicker({
  capability,
  chosen,
  onChoose,
  without = [],
  trigger,
}: {
  readonly capability: string;
  readonly chosen: string | null;
  readonly onChoose: (model: ModelRowFragment) => void;
  readonly without?: readonly string[];
  readonly trigger?: ReactNode;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        {trigger ?? (
          <button
            type="button"
            className="flex h-4.5 w-full min-w-0 items-center gap-1 rounded-medium border border-edge bg-raised px-1.5 text-left hover:bg-hover max-md:h-5.5"
          >
            <span className="sr-only">Model: </span>
            <span className="min-w-0 flex-1 truncate font-mono">{chosen ?? 'Choose a model'}</span>
            {chosen?.startsWith('sandbox/') ? <Badge tone="warn">Sandbox</Badge> : null}
            <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-soft" />
          </button>
        )}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil animate-fade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(640px,calc(100vw-16px))] -translate-x-1/2 overflow-hidden rounded-large border border-line bg-raised shadow-float outline-none max-md:top-1"
        >
          <Dialog.Title className="sr-only">Choose a model</Dialog.Title>
          <Found
            capability={capability}
            without={without}
            onChoose={(model) => {
              setOpen(false);
              onChoose(model);
            }}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Found({
  capability,
  without,
  onChoose,
}: {
  readonly capability: string;
  readonly without: readonly string[];
  readonly onChoose: (model: ModelRowFragment) => void;
}): ReactNode {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const { data, failure } = useRead(ModelListDocument, {
    filter: { capability, search: search === '' ? undefined : search },
    orderBy: 'ID',
    first: SHOWN,
  });
  const models = data?.models.nodes.filter(({ id }) => !without.includes(id));
  return (
    <Command label="Models" shouldFilter={false} loop>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Find a model …"
        className="h-6 w-full border-b border-line bg-transparent px-2 text-[16px] outline-none placeholder:text-soft"
      />
      <Command.List className="max-h-[min(440px,60dvh)] overflow-y-auto p-1">
        {failure ? <p className="p-2 text-bad">{failure.message}</p> : null}
        {models?.length === 0 ? (
          <Command.Empty className="p-2 text-soft">
            No connected provider has such a model. Connect one, or look for another.
          </Command.Empty>
        ) : null}
        {models?.map((model) => (
          <Command.Item
            key={model.id}
            value={model.id}
            onSelect={() => onChoose(model)}
            className="flex cursor-pointer items-center gap-2 rounded-small px-1 py-0.75 data-[selected=true]:bg-hover"
          >
            <span className="min-w-0 flex-1">
              <span className="flex items-center gap-1">
                <span className="truncate">{model.name}</span>
                {model.id.startsWith('sandbox/') ? <Badge tone="warn">Sandbox</Badge> : null}
                <BetaBadge capabilities={model.capabilities} />
              </span>
              <span className="block truncate text-small text-soft">
                <span className="font-mono">{model.id}</span> · {model.inputModalities.map(words).join(', ')} →{' '}
                {model.outputModalities.map(words).join(', ')}
              </span>
            </span>
            <span className="figures shrink-0 text-right text-small text-soft">
              {inputPrice(model.pricing)} in
              <br />
              {outputPrice(model.pricing)} out
            </span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
