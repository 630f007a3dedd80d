import { Migration } from '@mikro-orm/migrations';

export class Migration20261125024128_add_webhook_state extends Migration {

  override name = 'Migration20261125024128_add_webhook_state';

  override up(): void | Promise<void> {
    this.addSql(`alter table "webhooks" add "failures" int not null default 0, add "failing_since" timestamptz(3) null, add "retry_at" timestamptz(3) null, add "disabled_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "webhooks" drop column "failures", drop column "failing_since", drop column "retry_at", drop column "disabled_at";`);
  }

}
