import { Tabs as Primitive } from 'radix-ui';
import { useState, type ReactNode } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export function Tabs<Name extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  beside,
  keepsVisited = false,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly beside?: ReactNode;
  /** Retains the state of visited tabs. */
  readonly keepsVisited?: boolean;
}): ReactNode {
  const [visited, setVisited] = useState<readonly Name[]>([chosen]);
  if (!visited.includes(chosen)) setVisited([...visited, chosen]);
  return (
    <Primitive.Root
      value={chosen}
      onValueChange={(value) => {
        const tab = tabs.find(({ name }) => name === value);
        if (tab) onChoose(tab.name);
      }}
    >
      <div className="flex flex-wrap-reverse items-center gap-x-2 border-b border-line">
        <Primitive.List
          aria-label={label}
          className="-mb-px flex max-w-full min-w-0 grow basis-auto gap-2 overflow-x-auto"
        >
          {tabs.map((tab) => (
            <Primitive.Trigger
              key={tab.name}
              value={tab.name}
              className="h-4.5 border-b-2 border-transparent whitespace-nowrap text-soft hover:text-ink -outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink max-md:h-5.5"
            >
              {tab.label}
            </Primitive.Trigger>
          ))}
        </Primitive.List>
        {beside}
      </div>
      {tabs.map((tab) => (
        <Primitive.Content
          key={tab.name}
          value={tab.name}
          forceMount={(keepsVisited && visited.includes(tab.name)) || undefined}
          className="-outline-offset-2 data-[state=inactive]:hidden"
        >
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
