import { Link } from '@tanstack/react-router';
import { Columns3, Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../../design/button.tsx';
import { usePermissions } from '../../../shell/permissions.ts';

/** Opens a logged request where it can be changed and sent again. */
export function ReplayLinks({ id, model }: { readonly id: string; readonly model: string }): ReactNode {
  const { can } = usePermissions();
  if (!can('completions.run')) return null;
  return (
    <>
      <Link to="/playground" search={{ capability: 'chat', model, replay: id }} className={buttonClass()}>
        <Terminal size={16} aria-hidden /> Open in playground
      </Link>
      <Link to="/compare" search={{ kind: 'CHAT', models: [model], replay: id }} className={buttonClass()}>
        <Columns3 size={16} aria-hidden /> Compare models
      </Link>
    </>
  );
}
