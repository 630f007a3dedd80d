import type { ReactNode } from 'react';
import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/state.tsx';
import { usePowers } from '../powers.ts';

/** Replaces content that the viewer's role does not permit. Names the permitted roles. */
export function NotAllowed({
  action,
  icon,
  children = 'Your role does not allow this. Contact an owner of the account.',
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

/** A page that requires a permission; others see the permitted roles. */
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
