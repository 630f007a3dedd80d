import { DropdownMenu } from 'radix-ui';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

export interface MenuItem {
  readonly label: ReactNode;
  readonly icon?: ReactNode;
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly onSelect?: () => void;
  /** An external page, which opens in a new tab. */
  readonly href?: string;
}

export interface MenuGroup {
  readonly title?: string;
  readonly items: readonly MenuItem[];
}

/** @param trigger a button */
export function Menu({
  trigger,
  groups,
  align = 'start',
}: {
  readonly trigger: ReactNode;
  readonly groups: readonly MenuGroup[];
  readonly align?: 'start' | 'end';
}): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-24 max-w-[min(480px,calc(100vw-16px))] rounded-medium border border-line bg-raised p-0.5 shadow-float animate-rise"
        >
          {groups.map((group, index) => (
            <DropdownMenu.Group
              key={group.title ?? index}
              className={index > 0 ? 'mt-0.5 border-t border-line pt-0.5' : ''}
            >
              {group.title ? (
                <DropdownMenu.Label className="px-1 py-0.5 text-small wrap-anywhere text-soft">
                  {group.title}
                </DropdownMenu.Label>
              ) : null}
              {group.items.map((item, place) => (
                <DropdownMenu.Item
                  key={place}
                  onSelect={item.onSelect}
                  asChild={item.href !== undefined}
                  className={`flex min-h-4 items-center gap-1 rounded-small px-1 py-0.75 outline-none select-none data-highlighted:bg-hover max-md:min-h-5.5 ${item.danger ? 'text-bad' : ''}`}
                >
                  {item.href === undefined ? (
                    <ItemContent item={item} />
                  ) : (
                    <a href={item.href} target="_blank" rel="noreferrer">
                      <ItemContent item={item} />
                    </a>
                  )}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function ItemContent({ item: { icon, label, checked } }: { readonly item: MenuItem }): ReactNode {
  return (
    <>
      {icon}
      <span className="min-w-0 flex-1 wrap-anywhere">{label}</span>
      {checked ? <Check size={16} aria-label="Selected" /> : null}
    </>
  );
}
