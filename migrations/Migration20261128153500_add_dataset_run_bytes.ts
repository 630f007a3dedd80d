import { Migration } from '@mikro-orm/migrations';

export class Migration20261128153500_add_dataset_run_bytes extends Migration {

  override name = 'Migration20261128153500_add_dataset_run_bytes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset_run_models" add "waiting_for" text null;`);

    this.addSql(`drop index "dataset_runs_by_account";`);
    this.addSql(`alter table "dataset_runs" add "bytes" bigint not null default '0';`);
    this.addSql(`create index dataset_runs_by_account on dataset_runs (account_id, created_at desc, id desc);`);
    this.addSql(`update dataset_runs set bytes = (select coalesce(sum(bytes), 0) from dataset_run_items where run_id = dataset_runs.id and content is not null) + (select coalesce(sum(bytes), 0) from dataset_run_outputs where run_id = dataset_runs.id);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "dataset_run_models" drop column "waiting_for";`);

    this.addSql(`drop index "dataset_runs_by_account";`);
    this.addSql(`alter table "dataset_runs" drop column "bytes";`);
    this.addSql(`create index dataset_runs_by_account on dataset_runs (account_id);`);
  }

}
