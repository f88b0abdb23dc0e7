import { ForwardMigration } from '@paycode/persistence';

/** CLF and UYW have four decimals: a column of three rounded them. Neither the table nor its indexes are written anew. */
export class AmountsOfFourDecimals1808000000000 extends ForwardMigration {
  override readonly name = 'AmountsOfFourDecimals1808000000000';
  override readonly statements = ['alter table payment alter column amount type numeric'];
}
