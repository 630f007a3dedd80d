import { Migration } from '@mikro-orm/migrations';

export class Migration20261128181042_add_dataset_run_judges extends Migration {

  override name = 'Migration20261128181042_add_dataset_run_judges';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset_runs" add "judge" jsonb null;`);

    this.addSql(`alter table "dataset_run_models" add "judges" int null, add "common" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "dataset_run_models" drop column "judges", drop column "common";`);

    this.addSql(`alter table "dataset_runs" drop column "judge";`);
  }

}
