import type { ReactNode } from 'react';
import { Page } from '../design/page.tsx';
import { Empty } from '../design/state.tsx';
import { usePowers } from './powers.ts';

/** In place of what the viewer's role does not allow: for whom it is, and what to do. */
export function NotAllowed({
  action,
  icon,
  children = 'Your role does not allow this. Ask an owner of the account, if you need to.',
}: {
  readonly action: string;
  readonly icon: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const { whoMay } = usePowers();
  return (
    <Empty icon={icon} title={`For ${whoMay(action)}`}>
      {children}
    </Empty>
  );
}

/** A page for those whose role allows it; the others are told for whom it is. */
export function ForWhoMay({
  action,
  title,
  icon,
  children,
}: {
  readonly action: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const { may } = usePowers();
  if (may(action)) return children;
  return (
    <Page title={title}>
      <NotAllowed action={action} icon={icon} />
    </Page>
  );
}
