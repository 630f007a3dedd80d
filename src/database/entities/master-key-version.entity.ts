import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A master key that encrypts, or did. The first start stores the first one, so that another secret is recognized. */
@Entity({ tableName: 'master_key_versions' })
export class MasterKeyVersion {
  [OptionalProps]?: 'sealedPepper' | 'completedAt';

  /** Written into encrypted values. */
  @PrimaryKey({ type: 'smallint', autoincrement: false })
  version!: number;

  /** Derived from the key, to recognize it. */
  @Property({ type: BlobType, hidden: true })
  fingerprint!: Buffer;

  /** Since when it encrypts; of the first one, since when it is known. */
  @Property({ type: 'datetime', length: 3 })
  activatedAt!: Date;

  /** Its pepper of API keys, encrypted under the current key: hashes of keys cannot be renewed without their secrets. Null for the current one. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  sealedPepper: Buffer | null = null;

  /** When a rotation to it had encrypted everything again; null of the first one. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;
}
