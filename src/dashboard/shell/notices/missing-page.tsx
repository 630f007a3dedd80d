import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { CircleAlert, Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, buttonClass } from '../../design/button.tsx';
import { Empty } from '../../design/state.tsx';

export function MissingPage(): ReactNode {
  return (
    <main>
      <title>Not found · Sluice</title>
      <Empty
        icon={<Compass size={24} />}
        title="Page not found"
        action={
          <Link to="/" className={buttonClass('primary')}>
            Go to the overview
          </Link>
        }
      >
        Check the address. The page may have moved.
      </Empty>
    </main>
  );
}

export function CrashedPage({ error }: ErrorComponentProps): ReactNode {
  return (
    <Empty
      icon={<CircleAlert size={24} />}
      title="This page failed to load"
      action={
        <Button variant="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      {error instanceof Error ? error.message : 'Something went wrong.'}
    </Empty>
  );
}
