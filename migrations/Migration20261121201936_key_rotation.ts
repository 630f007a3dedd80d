import { Migration } from '@mikro-orm/migrations';

export class Migration20261121201936_key_rotation extends Migration {

  override name = 'Migration20261121201936_key_rotation';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_keys" add "previous_secret_hmac" bytea null, add "previous_secret_expires_at" timestamptz(3) null, add "expiry_told_days" smallint null, add "changed_at" timestamptz(6) null;`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_previous_secret_hmac_unique" unique ("previous_secret_hmac");`);
    this.addSql(`create index api_keys_expiring on api_keys (expires_at) where expires_at is not null and revoked_at is null;`);
    this.addSql(`create index api_keys_changed on api_keys (changed_at) where changed_at is not null;`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_previous_secret_ends" check ((previous_secret_hmac is null) = (previous_secret_expires_at is null));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_keys" drop constraint "api_keys_previous_secret_hmac_unique";`);
    this.addSql(`drop index "api_keys_expiring";`);
    this.addSql(`drop index "api_keys_changed";`);
    this.addSql(`alter table "api_keys" drop constraint "api_keys_previous_secret_ends";`);
    this.addSql(`alter table "api_keys" drop column "previous_secret_hmac", drop column "previous_secret_expires_at", drop column "expiry_told_days", drop column "changed_at";`);
  }

}
