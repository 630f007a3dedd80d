import { Bookmark, Plus, SlidersHorizontal } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Menu, type MenuGroup, type MenuItem } from '../../design/menu.tsx';
import { SavedViewsDocument, type SavedViewPage, type SavedViewPartsFragment } from '../../generated/graphql.ts';
import { ManageViews } from './manage-views.tsx';
import { SaveView } from './save-view.tsx';
import { useViewSearch } from './use-view-search.ts';

/** Opens, saves and changes the views of a page: filters under a name, of the viewer and of the account. */
export function SavedViewsMenu({ page }: { readonly page: SavedViewPage }): ReactNode {
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const { data, failure, refetch } = useQuery(SavedViewsDocument, { page });
  const { search, show } = useViewSearch();
  const views = data?.savedViews ?? [];
  const item = (view: SavedViewPartsFragment): MenuItem => ({
    label: view.name,
    checked: view.search === search,
    onSelect: () => show(view.search),
  });
  const groups: readonly MenuGroup[] = [
    { title: 'Your views', items: views.filter(({ isShared }) => !isShared).map(item) },
    { title: 'Shared with the account', items: views.filter(({ isShared }) => isShared).map(item) },
  ].filter(({ items }) => items.length > 0);
  const actions: readonly MenuItem[] = [
    { label: 'Save this view', icon: <Plus size={16} aria-hidden />, onSelect: () => setOpen('save') },
    {
      label: 'Manage views',
      icon: <SlidersHorizontal size={16} aria-hidden />,
      onSelect: () => setOpen('manage'),
    },
  ];
  const close = (): void => setOpen(null);
  return (
    <>
      <Menu
        align="end"
        trigger={<Button icon={<Bookmark size={16} aria-hidden />}>Views</Button>}
        groups={[...groups, { items: actions }]}
      />
      <SaveView open={open === 'save'} onClose={close} onSaved={refetch} page={page} search={search} />
      <ManageViews
        open={open === 'manage'}
        onClose={close}
        onChanged={refetch}
        views={data?.savedViews ?? null}
        failure={failure}
        search={search}
      />
    </>
  );
}
