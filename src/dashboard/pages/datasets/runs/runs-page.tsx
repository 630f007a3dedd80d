import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../../design/button.tsx';
import { Page } from '../../../design/page.tsx';
import { RequirePermission } from '../../../shell/notices/not-allowed.tsx';
import { AllRunList } from './run-list.tsx';

/** The runs of all datasets, deleted ones included. */
export function DatasetRunsPage(): ReactNode {
  return (
    <RequirePermission action="datasets.read" title="Runs" icon={<FlaskConical size={24} />}>
      <Page
        title="Runs"
        lead="Runs of all datasets, newest first. Those of deleted datasets keep their figures."
        actions={
          <Link to="/datasets" className={buttonClass('quiet')}>
            All datasets
          </Link>
        }
      >
        <AllRunList />
      </Page>
    </RequirePermission>
  );
}
