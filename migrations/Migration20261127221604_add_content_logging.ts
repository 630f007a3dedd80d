import { Migration } from '@mikro-orm/migrations';

export class Migration20261127221604_add_content_logging extends Migration {

  override name = 'Migration20261127221604_add_content_logging';

  override up(): void | Promise<void> {
    this.addSql(`alter table "accounts" add "content_level" text null, add "content_retention_days" int not null default 30, add "content_redaction" jsonb null;`);
    this.addSql(`alter table "accounts" add constraint "accounts_content_level_check" check ("content_level" in ('off', 'metadata', 'full'));`);

    this.addSql(`alter table "api_keys" add "content_level" text null, add "content_may_raise" boolean not null default false;`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_content_level_check" check ("content_level" in ('off', 'metadata', 'full'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "accounts" drop constraint "accounts_content_level_check";`);
    this.addSql(`alter table "accounts" drop column "content_level", drop column "content_retention_days", drop column "content_redaction";`);

    this.addSql(`alter table "api_keys" drop constraint "api_keys_content_level_check";`);
    this.addSql(`alter table "api_keys" drop column "content_level", drop column "content_may_raise";`);
  }

}
