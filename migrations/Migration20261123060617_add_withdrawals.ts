import { Migration } from '@mikro-orm/migrations';

export class Migration20261123060617_add_withdrawals extends Migration {

  override name = 'Migration20261123060617_add_withdrawals';

  override up(): void | Promise<void> {
    this.addSql(`alter table "ledger_postings" drop constraint "ledger_postings_kind_check";`);
    this.addSql(`alter table "ledger_postings" add constraint "ledger_postings_kind_check" check (kind in ('settlement', 'refund', 'grant', 'top_up', 'fee', 'fee_refund', 'invoice', 'invoice_void', 'payment', 'withdrawal', 'reinstatement'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "ledger_postings" drop constraint "ledger_postings_kind_check";`);
    this.addSql(`alter table "ledger_postings" add constraint "ledger_postings_kind_check" check (kind in ('settlement', 'refund', 'grant', 'top_up', 'fee', 'fee_refund', 'invoice', 'invoice_void', 'payment'));`);
  }

}
