import { ForwardMigration } from '@paycode/persistence';

/** Statements name tips. Payments from before have none. */
export class KeepTips1812000000000 extends ForwardMigration {
  override readonly name = 'KeepTips1812000000000';
  override readonly statements = [
    'alter table payment add column tip_amount numeric',
    `comment on column payment.tip_amount is 'The portion of amount that is tip; null: none, or recorded before tips were.'`,
  ];
}
