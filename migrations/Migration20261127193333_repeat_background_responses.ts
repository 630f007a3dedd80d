import { Migration } from '@mikro-orm/migrations';

export class Migration20261127193333_repeat_background_responses extends Migration {

  override name = 'Migration20261127193333_repeat_background_responses';

  override up(): void | Promise<void> {
    this.addSql(`alter table "responses" add "lease_token" int not null default 1, add "attempt" int not null default 1, add "event_id" uuid null, add "request" json null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "responses" drop column "lease_token", drop column "attempt", drop column "event_id", drop column "request";`);
  }

}
