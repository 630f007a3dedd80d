import type { OpenedMasterKeys } from '../../composition/master-keys.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { ContentSeals } from '../../gateway/reasoning/content-seals.ts';
import { Resealer } from '../../services/master-keys/reseal.ts';
import { Rotation, type RotationProgress } from '../../services/master-keys/rotation.ts';

/** The rotation to the current master key; before its activation, to the pending one. */
export function rotationOf(
  database: SqlQueries,
  { keys, pending }: OpenedMasterKeys,
  onProgress: (progress: RotationProgress) => void = () => undefined,
): Rotation {
  const resealer = new Resealer(keys, new ContentSeals(keys));
  return new Rotation({ database, resealer, version: pending ?? keys.current.version, onProgress });
}
