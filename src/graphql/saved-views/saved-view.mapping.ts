import type { SavedView as SavedViewEntity } from '../../database/entities/index.ts';
import type { ViewReader } from '../../services/saved-views/saved-views.service.ts';
import type { Caller } from '../operation/context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { SavedViewPage, type SavedView } from './saved-view.types.ts';

const pages: Readonly<Record<SavedViewEntity['page'], SavedViewPage>> = {
  analytics: SavedViewPage.ANALYTICS,
  usage_logs: SavedViewPage.USAGE_LOGS,
};

export function viewReader(caller: Caller): ViewReader {
  return { accountId: caller.accountId, userId: caller.kind === 'session' ? caller.identity.userId : null };
}

export function toSavedView(row: SavedViewEntity, { userId }: ViewReader): SavedView {
  const { id, name, page, search, isShared, createdAt, updatedAt } = row;
  const isOwn = row.owner.id === userId;
  return { id: toGlobalId('SavedView', id), name, page: pages[page], search, isShared, isOwn, createdAt, updatedAt };
}
