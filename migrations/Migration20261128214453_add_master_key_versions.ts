import { Migration } from '@mikro-orm/migrations';

export class Migration20261128214453_add_master_key_versions extends Migration {

  override name = 'Migration20261128214453_add_master_key_versions';

  override up(): void | Promise<void> {
    this.addSql(`create table "master_key_versions" ("version" smallint not null, "fingerprint" bytea not null, "activated_at" timestamptz(3) not null, "sealed_pepper" bytea null, primary key ("version"));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "master_key_versions" cascade;`);
  }

}
