import type { ReactNode } from 'react';
import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/state.tsx';
import { usePermissions } from '../permissions.ts';

/** Replaces content that the viewer's role does not permit. Names the permitted roles. */
export function NotAllowed({
  action,
  icon,
  children = 'Your role does not permit this. Contact an owner of the account.',
}: {
  readonly action: string;
  readonly icon: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const { rolesAllowedTo } = usePermissions();
  return (
    <Empty icon={icon} title={`For ${rolesAllowedTo(action)}`}>
      {children}
    </Empty>
  );
}

/** A page that requires a permission; others see the permitted roles. */
export function RequirePermission({
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
  const { can } = usePermissions();
  if (can(action)) return children;
  return (
    <Page title={title}>
      <NotAllowed action={action} icon={icon} />
    </Page>
  );
}
