import { Migration } from '@mikro-orm/migrations';

export class Migration20261127184640_add_provider_counts extends Migration {

  override name = 'Migration20261127184640_add_provider_counts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "batches" add "provider_succeeded" int not null default 0, add "provider_errored" int not null default 0;`);

    this.addSql(`alter table "provider_batches" add "succeeded" int not null default 0, add "failed" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "batches" drop column "provider_succeeded", drop column "provider_errored";`);

    this.addSql(`alter table "provider_batches" drop column "succeeded", drop column "failed";`);
  }

}
