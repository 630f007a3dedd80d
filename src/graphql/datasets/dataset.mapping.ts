import type { DatasetRow } from '../../services/datasets/dataset-rows.ts';
import type { OpenedItem } from '../../services/datasets/dataset-reader.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { Dataset, DatasetItem } from './dataset.types.ts';

export function toDataset({ id, name, items, bytes, created_ms, updated_ms }: DatasetRow): Dataset {
  return {
    id: toGlobalId('Dataset', id),
    name,
    itemCount: items,
    bytes: Number(bytes),
    createdAt: new Date(Number(created_ms)),
    updatedAt: new Date(Number(updated_ms)),
  };
}

export function toDatasetItem({ row, document }: OpenedItem): DatasetItem {
  const { input, output = null, metadata } = document ?? {};
  return {
    id: toGlobalId('DatasetItem', row.id),
    usageLogId: toGlobalId('UsageLog', row.event_id),
    bytes: row.bytes,
    createdAt: new Date(Number(row.created_ms)),
    messages: input?.messages ?? null,
    parameters: input?.parameters ?? null,
    output,
    model: metadata?.model ?? null,
    requestedAt: metadata === undefined ? null : new Date(metadata.createdAt),
    redactions: Object.entries(metadata?.redactions ?? {}).map(([name, count]) => ({ name, count })),
    dropped: [...(metadata?.dropped ?? [])],
  };
}
